package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	findings := c.settingFindings()
	findings = append(findings, doctor.Unknown(p.unknown)...)
	findings = append(findings, doctor.Root(os.Geteuid(), c.Embedded()),
		doctor.Files(doctor.FileLimit()), doctor.Address(ctx, "DG_ADDR", c.Addr),
		doctor.Address(ctx, "DG_OPS_ADDR", c.OpsAddr))
	found, err := c.databaseFindings(ctx, p)
	findings = append(findings, found...)
	if failures := doctor.Print(p.Stdout, findings); failures > 0 {
		return errors.Join(fmt.Errorf("%d of %d checks failed", failures, len(findings)), err)
	}
	return err
}

// settingFindings checks the settings by themselves.
func (c doctorCmd) settingFindings() []doctor.Finding {
	var findings []doctor.Finding
	failed := func(err error) {
		findings = append(findings, doctor.Finding{
			Check:   "settings",
			Verdict: doctor.Failure,
			Says:    err.Error(),
			Fix:     "Change the setting: dg config prints the values and where each comes from.",
		})
	}
	base, err := c.Base()
	if err != nil {
		failed(err)
	}
	settings, err := c.settings(nil)
	if err != nil {
		failed(err)
	}
	if err := c.Database.Check(); err != nil {
		failed(err)
	}
	findings = append(findings, doctor.Proxies(base, settings.Proxies))
	if err == nil && !settings.Keys.Encrypts() {
		findings = append(findings, doctor.Finding{
			Check:   "secret key",
			Verdict: doctor.Warning,
			Says:    "two-step secrets are stored in clear",
			Fix:     "Set DG_SECRET_KEY to 32 random bytes, such as the output of: openssl rand -base64 32",
		})
	}
	return findings
}

// databaseFindings checks the database, or the folder of the embedded server.
func (c doctorCmd) databaseFindings(
	ctx context.Context, p Stdio,
) (findings []doctor.Finding, err error) {
	serving := servingURL(c.Database)
	if c.Embedded() {
		server, found, failed := c.embeddedFindings(ctx, p)
		findings = found
		if server == nil {
			return findings, failed
		}
		defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
		serving = server.URL()
	}
	conn, found := doctor.Reach(ctx, serving)
	findings = append(findings, found)
	if conn == nil {
		return findings, nil
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if c.MigrateDatabaseURL != "" {
		same, _ := doctor.SameDatabase(ctx, serving, c.MigrateDatabaseURL) // its finding says why
		findings = append(findings, same)
	}
	more, err := c.serverFindings(ctx, conn)
	findings = append(findings, more...)
	if err != nil {
		return findings, err
	}
	more, err = c.dataFindings(ctx, conn, serving, p)
	return append(findings, more...), err
}

// embeddedFindings checks the folder and starts its server, which the caller stops. It is nil where
// there is none to look at.
func (c doctorCmd) embeddedFindings(
	ctx context.Context, p Stdio,
) (*embeddedpg.Server, []doctor.Finding, error) {
	free, size, err := doctor.DiskOf(existing(c.DataDir))
	if err != nil {
		return nil, nil, err
	}
	room := doctor.Room(free, size)
	found := func(verdict doctor.Verdict, says, fix string) []doctor.Finding {
		return []doctor.Finding{room, {Check: "database", Verdict: verdict, Says: says, Fix: fix}}
	}
	if !embeddedpg.HasData(c.DataDir) {
		if _, err := embeddedpg.FindProgram(ctx, c.DataDir, "postgres"); err != nil {
			return nil, found(doctor.Failure, err.Error(),
				"Install PostgreSQL, or set DG_DATABASE_URL."), nil
		}
		if dir := existing(c.DataDir); !doctor.Writable(dir) {
			return nil, found(doctor.Failure, "this user may not read and write "+dir,
				"Run dg doctor as the user of dg serve, or set DG_DATA_DIR to a folder of this user."), nil
		}
		return nil, found(doctor.OK, "the data folder is empty: dg serve makes the database",
			""), nil
	}
	server, err := embeddedpg.Start(ctx, c.DataDir, embeddedpg.Options{Logger: p.log})
	if err != nil {
		return nil, found(doctor.Failure, err.Error(), "See postgres.log in the data folder."), nil
	}
	return server, []doctor.Finding{room}, nil
}

// serverFindings checks the server and how many connections it allows.
func (c doctorCmd) serverFindings(ctx context.Context, conn *pgx.Conn) ([]doctor.Finding, error) {
	findings, err := doctor.Server(ctx, conn)
	if err != nil {
		return nil, err
	}
	findings = append(findings, doctor.Pooler(c.Pooled()))
	found, err := doctor.Connections(ctx, conn,
		int(c.PoolAuth+c.PoolReads)+assembly.OtherConnections)
	if err != nil {
		return findings, err
	}
	return append(findings, found), nil
}

// dataFindings checks the schema and the rights, and with a complete schema the data.
func (c doctorCmd) dataFindings(
	ctx context.Context, conn *pgx.Conn, serving string, p Stdio,
) ([]doctor.Finding, error) {
	schema, err := doctor.Schema(ctx, conn, migrations.FS)
	if err != nil {
		return nil, err
	}
	rights, err := doctor.Rights(ctx, conn)
	findings := []doctor.Finding{schema, rights}
	if err != nil || schema.Verdict == doctor.Failure {
		return findings, err
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
func (c doctorCmd) replicaFindings(
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
			{
				Check:   "replicas",
				Verdict: doctor.Failure,
				Says:    err.Error(),
				Fix:     "Correct DG_DATABASE_REPLICA_URLS.",
			},
		}, nil
	}
	defer replicas.Close()
	for _, r := range replicas.All() {
		findings = append(findings, doctor.Replica(ctx, r, db, int(c.PoolReads)+exports.MaxAtOnce))
	}
	return findings, nil
}

// existing returns the folder, or the nearest above it that exists.
func existing(dir string) string {
	for path, _ := filepath.Abs(dir); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
}
