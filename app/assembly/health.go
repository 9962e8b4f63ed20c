package assembly

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// readyTimeout bounds both queries of Pools.ready together.
const readyTimeout = 2 * time.Second

var errStandby = apperr.New(apperr.Unavailable,
	"The database is a standby or read-only, and every request writes. Point DG_DATABASE_URL at the primary.")
var errStopping = apperr.New(apperr.Unavailable,
	"This instance is stopping. Send requests to another one.")

func (p *Program) mountHealth(router fiber.Router) {
	router.Get("/healthz", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	router.Get("/readyz", func(c *fiber.Ctx) error {
		if p.Server.Stopping() {
			return errStopping
		}
		if err := p.ready.check(p.Pools); err != nil {
			return err
		}
		lines := []string{"ready"}
		for _, r := range p.Pools.Replicas {
			state := "read"
			if r.LeftOut() {
				state = "left out"
			}
			lines = append(lines, fmt.Sprintf("replica %d: %s", r.Number, state))
		}
		return c.SendString(strings.Join(lines, "\n") + "\n")
	})
}

// readyAge is how old the answer of /readyz may be: anyone may ask, as often as they like.
const readyAge = time.Second

// readiness keeps the last answer of Pools.ready. Requests wait for one that asks.
type readiness struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

func (r *readiness) check(pools Pools) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.asked) >= readyAge {
		ctx, stop := context.WithTimeout(context.Background(), readyTimeout)
		defer stop()
		r.err = pools.ready(ctx)
		r.asked = time.Now()
	}
	return r.err
}

func (p Pools) ready(ctx context.Context) error {
	for _, db := range []*postgres.DB{p.Requests, p.Snapshots} {
		var readOnly bool
		if err := db.Pool.QueryRow(ctx, `/* app.ready */ select pg_is_in_recovery()
			or current_setting('transaction_read_only')::boolean`).Scan(&readOnly); err != nil {
			return fmt.Errorf("ready: %w", err)
		}
		if readOnly {
			return errStandby
		}
	}
	return nil
}
