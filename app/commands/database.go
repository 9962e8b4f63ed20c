package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"dg/app/doctor"
	"dg/migrations"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/config"
	"dg/platform/embeddedpg"
	"dg/platform/postgres"
)

type database struct {
	settings             config.Database
	servingURL, ownerURL string
	server               *embeddedpg.Server // nil if the database is external
	keyring              identity.Keyring   // decrypts two-step secrets
	unreadableSecrets    int                // number of two-step secrets that no key decrypts
	log                  *slog.Logger
}

const (
	stopTimeout   = 20 * time.Second
	watchInterval = time.Second // how often watch checks the embedded server
)

// connect starts or joins an embedded server. It does not contact an external one. The caller must
// call release.
func connect(
	ctx context.Context, c config.Database, mayCreate bool, log *slog.Logger,
) (db *database, err error) {
	if err = c.Check(); err != nil {
		return nil, err
	}
	db = &database{
		settings:   c,
		servingURL: c.DatabaseURL,
		ownerURL:   cmp.Or(c.MigrateDatabaseURL, c.DatabaseURL),
		log:        log,
	}
	if c.Pooled() {
		db.servingURL = postgres.ThroughPooler(c.DatabaseURL, c.DatabasePooler)
	}
	if !c.Embedded() {
		return db, nil
	}
	if !mayCreate && !embeddedpg.HasData(c.DataDir) {
		return nil, fmt.Errorf("there is no database in %s, or only its owner sees it: name the "+
			"settings of dg serve by --config, set DG_DATA_DIR or DG_DATABASE_URL, run dg as root or as "+
			"the user of dg serve, or start dg serve, which makes one", c.DataDir)
	}
	log.Info("starting or joining PostgreSQL")
	if db.server, err = embeddedpg.Start(ctx, c.DataDir); err != nil {
		return nil, err
	}
	log.Info("using PostgreSQL", "folder", db.server.Folder())
	db.servingURL = db.server.URL()
	db.ownerURL = db.server.OwnerURL()
	return db, nil
}

// release ends this process's use of the embedded server, and stops an otherwise unused server.
func (db *database) release() {
	if db.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := db.server.Stop(ctx); err != nil {
		db.log.Error("the embedded PostgreSQL did not stop", "error", err)
	}
}

// watch checks the embedded server until ctx ends. It returns the first failure.
func (db *database) watch(ctx context.Context) error {
	for {
		if err := db.server.Check(); err != nil {
			return fmt.Errorf("the %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

// installation returns the Installation of a command that reports no warnings.
func (db *database) installation() *doctor.Installation {
	return &doctor.Installation{
		Serve:      config.Serve{Database: db.settings},
		ServingURL: db.servingURL,
		OnResult:   func(doctor.Verdict, string, string) {},
	}
}

// migrate runs ServerChecks first, which set installation.ServingRole.
func (db *database) migrate(ctx context.Context, installation *doctor.Installation) error {
	if err := installation.Run(ctx, doctor.ServerChecks); err != nil {
		return err
	}
	err := postgres.Migrate(ctx, db.ownerURL, migrations.FS, installation.ServingRole, db.log,
		identity.RewriteEmailKeys)
	return apperr.Annotate(err, "migrate the database")
}

// dropPrivileges changes from root to the owner of the data. It only warns if the database is
// external, because dg then has no other user to change to.
func (db *database) dropPrivileges() {
	if os.Geteuid() != 0 {
		return
	}
	err := errors.New("the database is not its own")
	if db.server != nil {
		var uid int
		if uid, err = db.server.DropPrivileges(); uid != 0 {
			db.log.Info("dg serve dropped root's privileges and runs as the owner of the data", "user", uid)
		}
	}
	if err != nil {
		db.log.Warn("dg serve runs as root, which it does not need: start it as another user", "error", err)
	}
}

type migrateCmd struct {
	config.Database
	config.Secrets
	ForgetSecretKey bool `help:"Accept DG_SECRET_KEY in place of a lost key. Two-step secrets under the lost key stay unreadable."`
}

func (c migrateCmd) Run(ctx context.Context, stdio Stdio) error {
	keyring, err := doctor.Keyring(c.Secrets)
	if err != nil {
		return err
	}
	db, err := connect(ctx, c.Database, false, stdio.log)
	if err != nil {
		return err
	}
	defer db.release()
	installation := db.installation()
	defer installation.Close()
	if err := db.migrate(ctx, installation); err != nil {
		return err
	}
	if keyring.Encrypts() || c.ForgetSecretKey {
		if err := db.encrypt(ctx, c.Secrets, c.ForgetSecretKey); err != nil {
			return err
		}
	}
	return stdio.print("The database is up to date.\n")
}

type databaseCmd struct{ config.Database }

func (c databaseCmd) Run(_ context.Context, stdio Stdio) (err error) {
	if err = c.Check(); err != nil {
		return err
	}
	url := cmp.Or(c.MigrateDatabaseURL, c.DatabaseURL)
	if c.Embedded() {
		if url, err = embeddedpg.RunningURL(c.DataDir); err != nil {
			return fmt.Errorf("%w on %s: start dg serve, and run dg database as root or as its user",
				err, c.DataDir)
		}
	}
	return stdio.print("%s\n", url)
}
