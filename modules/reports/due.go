package reports

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Due counts the finished days that the sealer has yet to seal.
type Due struct {
	Days   int
	Oldest time.Time // zero when there is none
}

// Due returns what a pass would seal, over all organisations. It takes no lock and changes nothing.
func (s *Sealer) Due(ctx context.Context) (due Due, err error) {
	err = s.db.Pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		forks, err := sealedForks(ctx, conn, true, s.minPlays)
		for _, f := range forks {
			days, err := dueDays(ctx, conn, f, s.now().UTC().Truncate(day), time.Time{})
			if err != nil {
				return err
			}
			due.Days += len(days)
			if n := len(days); n > 0 && (due.Oldest.IsZero() || days[n-1].Before(due.Oldest)) {
				due.Oldest = days[n-1] // the newest come first
			}
		}
		return err
	})
	if err != nil {
		return Due{}, fmt.Errorf("reports: due: %w", err)
	}
	return due, nil
}
