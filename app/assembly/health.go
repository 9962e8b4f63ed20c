package assembly

import (
	"context"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// readyTimeout bounds the query of /readyz.
const readyTimeout = 2 * time.Second

var errStandby = apperr.New(apperr.Unavailable, "The database is a standby or read-only, and every request writes. Point DG_DATABASE_URL at the primary.")

// mountHealth adds the probes of a supervisor: whether the process is running, and whether it can serve.
func (p *Program) mountHealth(router fiber.Router) {
	router.Get("/healthz", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	router.Get("/readyz", func(c *fiber.Ctx) error {
		ctx, stop := context.WithTimeout(c.UserContext(), readyTimeout)
		defer stop()
		for _, db := range []*postgres.DB{p.Pools.Auth, p.Pools.Reads} {
			if err := ready(ctx, db); err != nil {
				return err
			}
		}
		return c.SendString("ready\n")
	})
}

// ready checks that the pool reaches a database that accepts writes. Errors: apperr.Unavailable, and those of the connection.
func ready(ctx context.Context, db *postgres.DB) error {
	var readOnly bool
	err := db.Pool.QueryRow(ctx, `/* app.ready */ select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`).Scan(&readOnly)
	if err != nil {
		return fmt.Errorf("ready: %w", err)
	}
	if readOnly {
		return errStandby
	}
	return nil
}
