package exports

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"dg/platform/apperr"
)

// rules.md, Bounds: an export that finds no slot is told whose limit that is.
func TestRefusedExportNamesTheLimit(t *testing.T) {
	t.Parallel()
	for want, held := range map[string]string{ // an organisation a slot; the last asks for one more
		"of this organisation: at most 4 run at once": "aaaa" + "a",
		"on this instance: at most 8 run at once":     "aaaabbbc" + "d",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := New(nil, nil, nil)
			var err error
			for _, organisation := range held {
				require.NoError(t, err)
				_, err = s.slots.Acquire(t.Context(), string(organisation))
			}
			require.True(t, apperr.Is(err, apperr.Unavailable))
			require.Equal(t, 5, apperr.From(err).RetryAfter)
			require.Equal(t, "Too many exports "+want+". Retry in 5 seconds.",
				apperr.From(err).Message)
		})
	}
}

// Exports make their blocks in turns, but not behind one whose database is silent.
func TestExportsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil, nil)
		s.cpus = semaphore.NewWeighted(1)
		first := s.acquireCPU(t.Context())
		began := time.Now()
		time.AfterFunc(cpuWait/2, first)
		second := s.acquireCPU(t.Context())
		require.Equal(t, cpuWait/2, time.Since(began))
		s.acquireCPU(t.Context())()
		require.Equal(t, cpuWait/2+cpuWait, time.Since(began))
		second()
		s.acquireCPU(t.Context())()
		require.Equal(t, cpuWait/2+cpuWait, time.Since(began))
	})
}

// rules.md, CSV: a download asks twice a second whether its actor has access. Lost access ends it,
// a database that does not answer only after a while.
func TestRecheckDistinguishesLostAccessFromSilence(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for _, c := range []struct {
		answer error
		want   error
		after  time.Duration
	}{
		{apperr.New(apperr.AuthRequired, "Revoked."), lost, recheckInterval},
		{apperr.New(apperr.AccessDenied, "No."), lost, recheckInterval},
		{apperr.New(apperr.NotFound, "Gone."), lost, recheckInterval},
		{context.DeadlineExceeded, ErrNoAnswer, answerTimeout + recheckInterval},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			r := NewRecheck(func(context.Context) error {
				asked++
				return c.answer
			}, lost)
			began := time.Now()
			var err error
			for err == nil && time.Since(began) < time.Minute {
				time.Sleep(100 * time.Millisecond)
				err = r.Check(t.Context())
			}
			require.ErrorIs(t, err, c.want, c.answer)
			require.Equal(t, c.after, time.Since(began), c.answer)
			require.Equal(t, int(c.after/recheckInterval), asked, c.answer)
		})
	}
}
