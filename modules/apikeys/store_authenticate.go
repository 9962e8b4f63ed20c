package apikeys

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

//go:embed authenticate.sql
var authenticateSQL string

// By hand and on pgx: statements that run with each request, and the repair of an array.
const (
	// Replaces stamps in the future by now, so that they leave the window after 60 seconds even if
	// the clock was set back.
	repairWindowsSQL = `/* apikeys.repairWindows */
update api_key_windows set head = 1, instants = (
    select array_agg(m.at order by m.at) from (select least(i, clock_timestamp()) as at from unnest(instants) i) m)
 where key_id = $1 and clock_timestamp() < any (instants)`

	// Returns no row if the key has no window or the window has stamps in the future.
	retryAfterSQL = `/* apikeys.retryAfter */
select extract(epoch from greatest(instants[head], 'epoch') + interval '60 s' - clock_timestamp())::float8
  from api_key_windows where key_id = $1 and refused = $2 and not clock_timestamp() < any (instants)`
)

// withPosition returns the authentication statement with the position of the primary, or null
// without replicas.
func withPosition(db *postgres.DB) string {
	return strings.Replace(authenticateSQL, "null as position", db.PositionSQL()+" as position", 1)
}

// errNotCounted is the answer if PostgreSQL crashes or fails over repeatedly during an
// authentication.
var errNotCounted = apperr.New(apperr.Unavailable,
	"The request could not be counted. Retry in a few seconds.")

// authenticate runs the statement. It repeats it if the window got room since, and if the key had no
// usable window (crash of PostgreSQL, clock set back), which it then creates or repairs. Errors:
// apperr.Unavailable.
func (s *Service) authenticate(
	ctx context.Context, id string, hash []byte, outside bool,
) (authResult, error) {
	for range 3 {
		r, err := s.lookup(ctx, id, hash, outside)
		if err != nil || !r.limited {
			return r, err
		}
		var wait float64
		err = s.db.Pool.QueryRow(ctx, retryAfterSQL, id, r.reason != "").Scan(&wait)
		if errors.Is(err, pgx.ErrNoRows) {
			if err = newWindows(s.db.Gorm.WithContext(ctx), id); err == nil {
				_, err = s.db.Pool.Exec(ctx, repairWindowsSQL, id)
			}
		}
		if err != nil {
			return authResult{}, fmt.Errorf("apikeys: retry after: %w", err)
		}
		if wait > 0 {
			r.retryAfter = wholeSeconds(wait)
			return r, nil
		}
	}
	return authResult{}, errNotCounted
}

func (s *Service) lookup(
	ctx context.Context, id string, hash []byte, outside bool,
) (r authResult, err error) {
	var remaining *int
	var reset *float64
	var position *string // null without replicas
	err = s.db.Pool.QueryRow(ctx, s.statement, id, hash, outside).
		Scan(&r.KeyID, &r.OrganisationID, &r.KeyName, &r.Scopes,
			&r.OrganisationVersion, &r.reason, &r.revokedAt, &r.expiresAt, &remaining, &reset,
			&r.firstInMinute, &position)
	if errors.Is(err, pgx.ErrNoRows) {
		return authResult{}, nil
	}
	if err != nil {
		return authResult{}, fmt.Errorf("apikeys: authenticate: %w", err)
	}
	if position != nil {
		if err := r.Position.Scan(*position); err != nil {
			return authResult{}, err
		}
	}
	r.known = true
	r.limited = remaining == nil || reset == nil
	if !r.limited {
		r.RateLimit = RateLimit{Remaining: *remaining, Reset: wholeSeconds(*reset)}
	}
	r.ExpiryNotice = s.expiryNotice(r.expiresAt, r.revokedAt)
	return r, nil
}

// wholeSeconds rounds up, to at least 1, so that a request after that time succeeds.
func wholeSeconds(s float64) int { return max(1, int(math.Ceil(s))) }

// windowRow is one of a key's two windows. The table has the defaults of its other columns.
type windowRow struct {
	KeyID   string
	Refused bool
}

func (windowRow) TableName() string { return "api_key_windows" }

func newWindows(db *gorm.DB, keyID string) error {
	err := db.Scopes(postgres.Tag("apikeys.newWindows")).
		Clauses(clause.OnConflict{DoNothing: true}).
		Create(&[]windowRow{{keyID, false}, {keyID, true}}).Error
	return apperr.Annotate(err, "apikeys: new windows")
}

// touch stores the last use of a key, once a minute. The commit does not wait for the disk: a crash
// of PostgreSQL may lose it.
func (s *Service) touch(ctx context.Context, c Caller) error {
	err := keys(s.db.Gorm.WithContext(ctx), "apikeys.touch", c.OrganisationID).
		Where("id = ?", c.KeyID).Where(unrevokedAt, databaseNow).
		Where("last_used_at is null or last_used_at < date_trunc('minute', clock_timestamp())").
		// for this transaction only
		Where("set_config('synchronous_commit', 'off', true) is not null").
		Update("last_used_at", databaseMillisecond).Error
	return apperr.Annotate(err, "apikeys: last used")
}
