package exports

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
)

// rules.md, Bounds: an export that finds no place is told whose limit that is.
func TestRefusedExportNamesTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil, nil)
		of := func(organisation string, kind audit.ActorKind, id string) Request {
			return Request{
				Query: reports.Query{OrganisationID: organisation},
				Actor: audit.Actor{Kind: kind, ID: id},
			}
		}
		hold := func(r Request, times int) {
			for range times {
				_, err := s.acquire(t.Context(), r)
				require.NoError(t, err)
			}
		}
		refused := func(r Request, whose string) {
			_, err := s.acquire(t.Context(), r)
			require.True(t, apperr.Is(err, apperr.Unavailable))
			e := apperr.From(err)
			require.Equal(t, 5, e.RetryAfter)
			require.Equal(t, fmt.Sprintf("Too many exports %s. Retry in 5 seconds.", whose),
				e.Message)
		}
		hold(of("a", audit.Key, "1"), 3)
		refused(of("a", audit.Key, "1"), "with this key or account: at most 3 run at once")
		hold(of("a", audit.Key, "2"), 1)
		refused(of("a", audit.Key, "1"), "with this key or account: at most 3 run at once")
		refused(of("a", audit.Key, "2"),
			"of this organisation: at most 4 run at once")
		refused(of("a", audit.Person, "3"),
			"of this organisation: at most 4 run at once")
		hold(of("b", audit.Person, "4"), 3)
		hold(of("c", audit.Key, "5"), 1)
		refused(of("e", audit.Key, "6"), "on this instance: at most 8 run at once")
	})
}

// Exports make their blocks in turns, but not behind one whose database is silent.
func TestExportsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil, nil)
		s.turns = semaphore.NewWeighted(1)
		first := s.turn(t.Context())
		began := time.Now()
		time.AfterFunc(turnWait/2, first)
		second := s.turn(t.Context())
		require.Equal(t, turnWait/2, time.Since(began))
		s.turn(t.Context())()
		require.Equal(t, turnWait/2+turnWait, time.Since(began))
		second()
		s.turn(t.Context())()
		require.Equal(t, turnWait/2+turnWait, time.Since(began))
	})
}
