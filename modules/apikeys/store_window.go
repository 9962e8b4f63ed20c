package apikeys

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// These statements are raw SQL, because gorm's builder has no array functions.
const (
	// repairWindowsSQL moves timestamps in the future to now. After the clock was set back, they
	// would otherwise stay in the window for longer than 60 seconds.
	repairWindowsSQL = `/* apikeys.repairWindows */
update api_key_windows set head = 1, instants = (
    select array_agg(m.at order by m.at) from (select least(i, clock_timestamp()) as at from unnest(instants) i) m)
 where key_id = $1 and clock_timestamp() < any (instants)`

	// retryAfterSQL returns the seconds until the window has room. It returns no row if there is no
	// window, or one with timestamps in the future.
	retryAfterSQL = `/* apikeys.retryAfter */
select extract(epoch from greatest(instants[head], 'epoch') + interval '60 s' - clock_timestamp())::float8
  from api_key_windows where key_id = $1 and refused = $2 and not clock_timestamp() < any (instants)`
)

// retryAfter returns the seconds until the window has room, or 0 if it has, was created or
// repaired.
func (s *Service) retryAfter(ctx context.Context, id string, refused bool) (int, error) {
	var wait float64
	err := s.db.Pool.QueryRow(ctx, retryAfterSQL, id, refused).Scan(&wait)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, s.repairWindows(ctx, id)
	}
	if err != nil {
		return 0, fmt.Errorf("apikeys: retry after: %w", err)
	}
	if wait <= 0 {
		return 0, nil
	}
	return wholeSeconds(wait), nil
}

func (s *Service) repairWindows(ctx context.Context, id string) error {
	if err := newWindows(s.db.Gorm.WithContext(ctx), id); err != nil {
		return err
	}
	_, err := s.db.Pool.Exec(ctx, repairWindowsSQL, id)
	return apperr.Annotate(err, "apikeys: repair windows")
}

// The columns that windowRow omits have defaults.
type windowRow struct {
	KeyID   string
	Refused bool
}

func newWindows(db *gorm.DB, keyID string) error {
	err := db.Table("api_key_windows").Scopes(postgres.Tag("apikeys.newWindows")).
		Clauses(clause.OnConflict{DoNothing: true}).
		Create(&[]windowRow{{keyID, false}, {keyID, true}}).Error
	return apperr.Annotate(err, "apikeys: new windows")
}

func (s *Service) rateLimited(r authResult) (Caller, error) {
	s.UsageCounter.count(r.Caller, counts{limited: 1})
	r.RateLimit.Reset = r.retryAfter
	return r.Caller, newRateLimitError(r.retryAfter,
		"Rate limit exceeded: %d requests in %d seconds. Retry in %d seconds.", MaxRequests,
		RateWindow, r.retryAfter)
}
