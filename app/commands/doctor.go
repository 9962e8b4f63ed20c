package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/app/assembly"
	"dg/app/doctor"
	"dg/migrations"
	"dg/modules/exports"
	"dg/modules/identity"
	"dg/modules/reports/sealer"
	"dg/platform/embeddedpg"
	"dg/platform/postgres"
	"dg/platform/postgres/replica"
)

// doctorCmd is `dg doctor`.
type doctorCmd struct{ serveSettings }

// doctorTimeout bounds all checks together.
const doctorTimeout = time.Minute

// Run prints the findings. It fails when one of them is a failure.
func (c doctorCmd) Run(ctx context.Context, p Stdio) error {
	ctx, stop := context.WithTimeout(ctx, doctorTimeout)
	defer stop()
	findings := c.startFindings(ctx, p, doctor.Warning)
	found, err := c.databaseFindings(ctx, p)
	findings = append(findings, found...)
	if failures := doctor.Print(p.Stdout, findings); failures > 0 {
		return errors.Join(fmt.Errorf("%d of %d checks failed", failures, len(findings)), err)
	}
	return err
}

// startFindings checks what needs no database; inUse is the verdict on an address in use.
func (c serveSettings) startFindings(
	ctx context.Context, p Stdio, inUse doctor.Verdict,
) []doctor.Finding {
	findings := append(c.settingFindings(), doctor.Unknown(p.unknown)...)
	findings = append(findings, doctor.Root(os.Geteuid(), c.Embedded()),
		doctor.Files(doctor.FileLimit()))
	findings = append(findings, doctor.Addresses(ctx, c.Addr, c.OpsAddr, inUse)...)
	if c.Embedded() {
		findings = append(findings, doctor.Folder(ctx, c.DataDir)...)
	}
	return findings
}

// settingFindings checks the settings by themselves.
func (c serveSettings) settingFindings() []doctor.Finding {
	var findings []doctor.Finding
	failed := func(err error) {
		findings = append(findings, doctor.Fail("settings", err.Error(),
			"Correct it: dg --help explains each setting."))
	}
	settings, err := c.settings(nil)
	if err != nil {
		failed(err)
	}
	findings = append(findings, doctor.Proxies(settings.BaseURL, settings.Proxies))
	if err == nil && !settings.Keys.Encrypts() && !c.Private() {
		findings = append(findings, doctor.Warn("secret key",
			"without DG_SECRET_KEY two-step secrets are stored in clear",
			"Set DG_SECRET_KEY to 32 random bytes, such as the output of: openssl rand -base64 32"))
	}
	return findings
}

// databaseFindings checks the database. Where the embedded server has no data there is none.
func (c doctorCmd) databaseFindings(
	ctx context.Context, p Stdio,
) (findings []doctor.Finding, err error) {
	serving := servingURL(c.Database)
	if c.Embedded() {
		if !embeddedpg.HasData(c.DataDir) {
			return nil, nil
		}
		server, failed := embeddedpg.Start(ctx, c.DataDir, embeddedpg.Options{Logger: p.log})
		if failed != nil {
			return []doctor.Finding{doctor.Fail("database", failed.Error(),
				"See postgres.log in the data folder.")}, nil
		}
		defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
		serving = server.URL()
	} else if c.MigrateDatabaseURL != "" {
		findings = append(findings, ownerFinding(ctx, c.Database))
	}
	found, err := c.servedFindings(ctx, serving, p)
	return append(findings, found...), err
}

// servedFindings checks the database as the serving role: the server, and with a schema the data.
func (c serveSettings) servedFindings(
	ctx context.Context, serving string, p Stdio,
) (findings []doctor.Finding, err error) {
	conn, found := doctor.Reach(ctx, "DG_DATABASE_URL", serving)
	if conn == nil {
		return []doctor.Finding{found}, nil
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	findings, err = c.serverFindings(ctx, conn)
	findings = append([]doctor.Finding{found}, findings...)
	if err != nil {
		return findings, err
	}
	more, err := c.dataFindings(ctx, conn, serving, p)
	return append(findings, more...), err
}

// serverFindings checks the server and how many connections it allows.
func (c serveSettings) serverFindings(ctx context.Context, conn *pgx.Conn) ([]doctor.Finding, error) {
	findings, err := doctor.Server(ctx, conn)
	if err != nil {
		return nil, err
	}
	prepared := c.Pooled() && postgres.KeepsPrepared(ctx, conn.Config())
	findings = append(findings, doctor.Pooler(c.Pooled(), prepared))
	found, err := doctor.Connections(ctx, conn,
		int(c.PoolAuth+c.PoolReads)+assembly.OtherConnections)
	if err != nil {
		return findings, err
	}
	return append(findings, found), nil
}

// dataFindings checks the schema and the rights, and with a complete schema the data.
func (c serveSettings) dataFindings(
	ctx context.Context, conn *pgx.Conn, serving string, p Stdio,
) ([]doctor.Finding, error) {
	schema, complete, err := doctor.Schema(ctx, conn, migrations.FS)
	if err != nil {
		return nil, err
	}
	rights, err := doctor.Rights(ctx, conn, !c.Embedded() && c.MigrateDatabaseURL == "")
	findings := []doctor.Finding{schema, rights}
	if err != nil || !complete {
		return findings, err
	}
	if rights.Verdict == doctor.OK {
		public, err := doctor.Public(ctx, conn)
		if err != nil {
			return findings, err
		}
		findings = append(findings, public)
	}
	db, err := postgres.Open(ctx, serving,
		postgres.Options{Name: "dg doctor", MaxConns: 2, Logger: p.log})
	if err != nil {
		return findings, err
	}
	defer db.Close()
	replicas, err := c.replicaFindings(ctx, db)
	findings = append(findings, replicas...)
	if err != nil {
		return findings, err
	}
	due, err := sealer.New(db, time.Now, p.log, sealer.SealFrom).Due(ctx)
	if err != nil {
		return findings, err
	}
	findings = append(findings, doctor.Backlog(due.Days, due.Oldest, time.Now()))
	keys, err := keyring(c.Secrets)
	if err != nil {
		return findings, nil // reported with the settings
	}
	unreadable, err := identity.UnreadableSecrets(ctx, db, keys)
	if err != nil {
		return findings, err
	}
	_, err = identity.CheckSecretKey(ctx, db, keys)
	if wrong := errors.Is(err, identity.ErrSecretKey); wrong || err == nil {
		return append(findings, doctor.Secrets(unreadable, wrong)), nil
	}
	return findings, err
}

// replicaFindings checks each replica as dg serve does.
func (c serveSettings) replicaFindings(
	ctx context.Context, db *postgres.DB,
) (findings []doctor.Finding, err error) {
	urls, _ := c.Replicas()
	if len(urls) == 0 {
		return nil, nil
	}
	replicas, err := replica.Open(ctx, urls, db,
		map[*postgres.DB]postgres.Options{db: {Name: "dg doctor", MaxConns: 1}})
	if err != nil {
		return []doctor.Finding{
			doctor.Fail("replicas", err.Error(), "Correct DG_DATABASE_REPLICA_URLS."),
		}, nil
	}
	defer replicas.Close()
	for _, r := range replicas.All() {
		findings = append(findings, doctor.Replica(ctx, r, db, int(c.PoolReads)+exports.MaxAtOnce))
	}
	return findings, nil
}
