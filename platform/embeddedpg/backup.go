package embeddedpg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// restoredDatabase is the database during a restore. At the end it replaces dg.
const restoredDatabase = "dg_restored"

// replacedDatabase is the name of the former database dg until it is dropped.
const replacedDatabase = "dg_replaced"

// cleanupTimeout bounds the removal of a database that was not restored.
const cleanupTimeout = 20 * time.Second

// ErrInUse is the error of a restore while others are connected to the database.
var ErrInUse = errors.New(
	"the database is in use: stop dg serve and every other dg on the data folder, then restore again",
)

// Dump writes the database as of one moment to a file, in pg_dump's custom format. The database
// stays in use. It writes no rows of the tables in withoutRows.
func (s *Server) Dump(ctx context.Context, to *os.File, withoutRows ...string) error {
	args := []string{"--dbname=" + s.OwnerURL(), "--format=custom"}
	for _, table := range withoutRows {
		args = append(args, "--exclude-table-data=public."+table)
	}
	return s.runTool(ctx, "pg_dump", nil, to, args...)
}

// Restore replaces the database by that of a file of Dump. It restores into another database in one
// transaction, calls finish with its owner's URL, and swaps the names. A failure or interruption
// before that changes nothing. Errors: ErrInUse, the error of finish.
func (s *Server) Restore(
	ctx context.Context, from *os.File, finish func(ownerURL string) error,
) (err error) {
	if err := s.checkUnused(ctx); err != nil {
		return err
	}
	// left by a restore that was killed
	if err := s.asAdministrator(ctx, "drop database if exists "+restoredDatabase+" with (force)",
		"drop database if exists "+replacedDatabase+" with (force)",
		"create database "+restoredDatabase); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
			defer stop()
			err = errors.Join(err,
				s.asAdministrator(ctx, "drop database if exists "+restoredDatabase+" with (force)"))
		}
	}()
	if err := s.folder.setUpDatabase(ctx, restoredDatabase); err != nil {
		return err
	}
	// As the owner of the tables, because the file runs with the rights of the role.
	url := s.folder.url("dg_owner", restoredDatabase)
	err = s.runTool(ctx, "pg_restore", from, nil, "--dbname="+url, "--schema=public",
		"--single-transaction", "--exit-on-error", "--no-owner")
	if err != nil {
		return err
	}
	if err := finish(url); err != nil {
		return err
	}
	// Sent together, both statements are one transaction: there is always a database dg. Without
	// ctx: after an interrupted one the outcome would be unknown.
	err = s.asAdministrator(context.WithoutCancel(ctx),
		"alter database dg rename to "+replacedDatabase+"; alter database "+restoredDatabase+
			" rename to dg")
	if err == nil {
		_ = s.asAdministrator(ctx, "drop database "+replacedDatabase) // it is restored all the same
	}
	return err
}

// checkUnused fails while others are connected to the database. Sessions that just ended are given
// two seconds to go.
func (s *Server) checkUnused(ctx context.Context) error {
	return s.asAdministrator(ctx, `do $$ begin
		for attempt in 1..20 loop
			if not exists (select from pg_stat_activity where datname = 'dg' and backend_type = 'client backend') then
				return;
			end if;
			perform pg_sleep(0.1), pg_stat_clear_snapshot();
		end loop;
		raise object_in_use;
	end $$`)
}

// asAdministrator runs statements one by one, as the superuser and outside the database.
func (s *Server) asAdministrator(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		err := execute(ctx, s.folder.url("postgres", "postgres"), statement)
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "55006" { // object_in_use
			return ErrInUse
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runTool runs a program of the PostgreSQL that the server is of, as the server's user. The files
// are opened by our own.
func (s *Server) runTool(ctx context.Context, name string, in, out *os.File, args ...string) error {
	bin, err := s.folder.findProgram(ctx, name)
	if err != nil {
		return err
	}
	cmd := s.folder.command(ctx, filepath.Join(bin, name), args...)
	if in != nil {
		cmd.Stdin = in
	}
	if out != nil {
		cmd.Stdout = out
	}
	var printed bytes.Buffer
	cmd.Stderr = &printed
	err = cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("%s failed: %w\n%s", name, err, strings.TrimSpace(printed.String()))
}
