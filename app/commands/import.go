package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/term"

	"dg/app/doctor"
	"dg/modules/identity"
	"dg/modules/importer"
	"dg/platform/config"
	"dg/platform/postgres"
)

type importCmd struct {
	ownerDatabase
	config.Secrets
	Files []string `arg:"" name:"file" help:"NDJSON files, plain or gzip; - is standard input. All files are imported, or none. A truncated pipe looks complete unless it is gzip."`
}

func (c importCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	keyring, err := doctor.Keyring(c.Secrets)
	if err != nil {
		return err
	}
	if keyring, err = identity.KeyringForImport(ctx, o.DB, keyring); err != nil {
		return err
	}
	inputs := make([]importer.Input, len(c.Files))
	for i, name := range c.Files {
		inputs[i] = inputFile(name, stdio)
	}
	counts, err := o.importFiles(ctx, inputs, keyring, stdio)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdio.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "type\tadded\treplaced\tunchanged")
	for _, count := range counts {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", count.ObjectType, count.Added, count.Replaced, count.Unchanged)
	}
	for _, count := range counts {
		if count.LostPasswords > 0 {
			fmt.Fprintf(w, "%d of the replaced users had a password and have none now: their lines lack "+
				"passwordHash. dg account reset gives them a link.\n", count.LostPasswords)
		}
	}
	return w.Flush()
}

func inputFile(name string, stdio Stdio) importer.Input {
	if name == "-" {
		open := func() (io.ReadCloser, error) { return io.NopCloser(stdio.Stdin), nil }
		return importer.Input{Name: "standard input", Open: open}
	}
	return importer.Input{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

func (o *operator) importFiles(
	ctx context.Context, inputs []importer.Input, keyring identity.Keyring, stdio Stdio,
) ([]importer.ObjectCount, error) {
	var terminal io.Writer
	if f, ok := stdio.Stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		terminal = stdio.Stderr
		defer fmt.Fprintln(stdio.Stderr)
	}
	counts, err := importer.Importer{Pool: o.Pool, Keyring: keyring, Request: o.request}.
		Import(ctx, inputs, terminal)
	if err != nil {
		return counts, wrapImportError(ctx, err)
	}
	if plays := counts[len(counts)-1]; plays.Added+plays.Replaced > 0 { // else no day has changed
		o.seal(ctx, stdio)
	}
	return counts, nil
}

func wrapImportError(ctx context.Context, err error) error {
	const nothingImported = "nothing was imported: "
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case errors.Is(err, importer.ErrUnconfirmed):
		return err
	case ctx.Err() != nil: // err follows from the interruption
		return errors.New("interrupted: nothing was imported")
	case ok && slices.Contains([]string{"23502", "23503", "23505"}, pgErr.Code):
		return fmt.Errorf(nothingImported+"another command, such as dg erase, changed what the files refer to, or "+
			"two new players drew the same pseudonym. Import again, which names wrong lines: %w", err)
	case ok && pgErr.Code == "53100": // if the disk of the WAL is full, PostgreSQL restarts instead
		return fmt.Errorf(nothingImported+"the disk of the database is full. Free some space and import again: %w", err)
	case isLockFailure(err):
		return fmt.Errorf(nothingImported+"another change got in the way. Import again: %w", err)
	// an ERROR does not end the connection
	case postgres.IsUnavailable(err) && (!ok || pgErr.SeverityUnlocalized != "ERROR"):
		return fmt.Errorf(nothingImported+"the connection to the database was lost. Check the log of the "+
			"database (its disk may be full), then import again: %w", err)
	}
	return fmt.Errorf("nothing was imported:\n%w", err)
}

// isLockFailure reports whether err is a deadlock, or a lock that is not available in time.
func isLockFailure(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"40P01", "55P03"}, pgErr.Code)
}
