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
	"dg/platform/config"
	"dg/platform/embeddedpg"
	"dg/platform/postgres"
)

// database is the PostgreSQL that a command works with.
type database struct {
	servingURL, ownerURL string
	release              func()
	keys                 identity.Keyring
	unreadable           int // secrets that keys does not decrypt
	// closed when the embedded server ends; nil for an external one
	lost     <-chan struct{}
	embedded *embeddedpg.Server // nil for an external one
}

// stopTimeout bounds how long the embedded server may take to stop.
const stopTimeout = 20 * time.Second

// openDatabase connects to the database and migrates it.
func openDatabase(
	ctx context.Context, c config.Database, create bool, log *slog.Logger,
) (*database, error) {
	db, err := connect(ctx, c, create, log)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, log); err != nil {
		db.release()
		return nil, err
	}
	return db, nil
}

// connect checks the URLs of the settings, or joins or starts the embedded server, whose database
// it may create. It does not migrate.
func connect(
	ctx context.Context, c config.Database, create bool, log *slog.Logger,
) (*database, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	db := &database{
		servingURL: servingURL(c),
		ownerURL:   cmp.Or(c.MigrateDatabaseURL, c.DatabaseURL),
		release:    func() {},
	}
	if c.Embedded() {
		server, release, err := startEmbedded(ctx, c.DataDir, create, log)
		if err != nil {
			return nil, err
		}
		db.servingURL = server.URL()
		db.ownerURL = server.OwnerURL()
		db.lost = server.Done()
		db.embedded = server
		db.release = release
	}
	if err := doctor.CheckMigrate(ctx, c, db.servingURL); err != nil {
		db.release()
		return nil, err
	}
	return db, nil
}

// openEncrypted is openDatabase that also migrates the two-step secrets to the current key.
func openEncrypted(
	ctx context.Context, c config.Database, create bool, s config.Secrets, log *slog.Logger,
) (*database, error) {
	if _, err := keyring(s); err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, c, create, log)
	if err != nil {
		return nil, err
	}
	if err := db.encrypt(ctx, s, false, log); err != nil {
		db.release()
		return nil, err
	}
	return db, nil
}

// servingURL is the URL of the serving role, marked if it leads through a pooler.
func servingURL(c config.Database) string {
	if c.Pooled() {
		return postgres.ThroughPooler(c.DatabaseURL, c.DatabasePooler)
	}
	return c.DatabaseURL
}

// startEmbedded starts or joins the embedded server. release stops it.
func startEmbedded(
	ctx context.Context, dir string, create bool, log *slog.Logger,
) (server *embeddedpg.Server, release func(), err error) {
	server, err = embeddedpg.Start(ctx, dir, embeddedpg.Options{Logger: log, Create: create})
	if errors.Is(err, embeddedpg.ErrNoData) {
		err = fmt.Errorf("%w in %s, or only its owner sees it: set DG_DATA_DIR or DG_DATABASE_URL, "+
			"run dg as root or as the user of dg serve, or start dg serve, which makes one", err, dir)
	}
	if err != nil {
		return nil, nil, err
	}
	return server, func() {
		ctx, stop := context.WithTimeout(context.Background(), stopTimeout)
		defer stop()
		if err := server.Stop(ctx); err != nil {
			log.Error("the embedded PostgreSQL did not stop", "error", err)
		}
	}, nil
}

// dropPrivileges makes a root process the owner of the embedded server's data. An external database
// has no such user.
func (db *database) dropPrivileges(log *slog.Logger) {
	if os.Geteuid() != 0 {
		return
	}
	if db.embedded == nil {
		log.Warn("dg serve runs as root, which it does not need: start it as another user")
		return
	}
	uid, err := db.embedded.DropPrivileges()
	if err != nil {
		log.Warn("dg serve runs as root and could not become the owner of the data: "+
			"start it as another user", "error", err)
	} else if uid != 0 {
		log.Info("dg serve dropped root's privileges and runs as the owner of the data", "user", uid)
	}
}

func (db *database) migrate(ctx context.Context, log *slog.Logger) error {
	serving, err := postgres.RoleOf(db.servingURL)
	if err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, db.ownerURL, migrations.FS, serving, log); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}
