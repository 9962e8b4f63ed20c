package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"dg/modules/identity"
	"dg/platform/config"
	"dg/platform/embeddedpg"
	"dg/platform/newfile"
	"dg/platform/postgres"
)

// backupCmd is `dg backup`.
type backupCmd struct {
	config.Database
	File string `arg:"" help:"New file of the backup, in pg_dump's custom format."`
}

// errOwnServer refuses a database that is not the embedded one.
var errOwnServer = errors.New("DG_DATABASE_URL names a server of your own, and dg backup and dg " +
	"restore are for the embedded one. " +
	"Use pg_dump and pg_restore as the role that owns the tables: configs/deploy/backup.md has the commands")

// notInBackup are tables whose rows are not backed up, so that a restore revives no session or
// reset link.
var notInBackup = []string{"sessions", "account_resets"}

// Run writes the backup. It does not migrate, so that it can run before an update.
func (c backupCmd) Run(ctx context.Context, p Stdio) error {
	begun := time.Now()
	server, release, err := c.open(ctx, p.log)
	if err != nil {
		return err
	}
	defer release()
	file, err := newfile.Create(c.File)
	if err != nil {
		return err
	}
	if err := server.Dump(ctx, file.File, notInBackup...); err != nil {
		return errors.Join(err, file.Discard())
	}
	size, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Discard())
	}
	encrypted, err := unreadableSecrets(ctx, server.OwnerURL(), identity.Keyring{}, p.log)
	if err != nil {
		return errors.Join(err, file.Discard())
	}
	if err := file.Complete(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.DataDir, backupStamp), nil, 0o600); err != nil {
		p.log.Warn("dg_last_backup_timestamp_seconds does not show this backup", "error", err)
	}
	fmt.Fprintf(p.Stdout, "Wrote %s: %d bytes in %s.\n", c.File, size.Size(),
		time.Since(begun).Round(time.Millisecond))
	if encrypted > 0 {
		fmt.Fprintf(p.Stdout,
			"Keep DG_SECRET_KEY too, in another place: %d secrets of two-step verification are "+
				"encrypted with it.\n", encrypted)
	}
	return p.print("It does not contain your settings or the lists of revoked keys and erased players: " +
		"see configs/deploy/backup.md.\n")
}

// backupStamp is the file in the data folder whose time is that of the last complete backup.
const backupStamp = "last-backup"

// lastBackup is the time of the last complete backup, 1970 where there is none.
func lastBackup(dir string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(dir, backupStamp))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Unix(0, 0), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// open joins or starts the embedded server on a database that exists.
func (c backupCmd) open(ctx context.Context, log *slog.Logger) (*embeddedpg.Server, func(), error) {
	if !c.Embedded() {
		return nil, nil, errOwnServer
	}
	if err := needsData(c.Database); err != nil {
		return nil, nil, err
	}
	return startEmbedded(ctx, c.DataDir, log)
}

// unreadableSecrets counts the secrets of two-step verification that the keys do not open.
func unreadableSecrets(
	ctx context.Context, ownerURL string, keys identity.Keyring, log *slog.Logger,
) (int, error) {
	owner, err := postgres.Open(ctx, ownerURL, postgres.Options{
		Name:             "dg backup",
		MaxConns:         1,
		StatementTimeout: -1,
		Logger:           log,
	})
	if err != nil {
		return 0, err
	}
	defer owner.Close()
	return identity.UnreadableSecrets(ctx, owner, keys)
}
