package commands

import (
	"cmp"
	"context"
	"fmt"

	"dg/platform/config"
	"dg/platform/embeddedpg"
)

// databaseCmd is `dg database`.
type databaseCmd struct{ config.Database }

// Run prints the URL of the role that owns the tables. It starts no server.
func (c databaseCmd) Run(_ context.Context, p Stdio) error {
	if err := c.Check(); err != nil {
		return err
	}
	url := cmp.Or(c.MigrateDatabaseURL, c.DatabaseURL)
	if c.Embedded() {
		var err error
		if url, err = embeddedpg.RunningURL(c.DataDir); err != nil {
			return fmt.Errorf("%w on %s: start dg serve, and run dg database as root or as its user",
				err, c.DataDir)
		}
	}
	return p.print("%s\n", url)
}
