package exports

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
			s := New(nil, nil, nil, nil)
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

// rules.md, CSV: a download asks twice a second whether its actor has access. Lost access ends it,
// and so does a database that does not answer, under another name.
func TestRecheckDistinguishesLostAccessFromSilence(t *testing.T) {
	t.Parallel()
	for answer, want := range map[error]error{
		nil:                                    nil,
		apperr.New(apperr.AuthRequired, "No."): errAccessEnded,
		apperr.New(apperr.AccessDenied, "No."): errAccessEnded,
		apperr.New(apperr.NotFound, "Gone."):   errAccessEnded,
		context.DeadlineExceeded:               context.DeadlineExceeded,
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			s := New(nil, nil, nil, nil)
			gate := &Gate{turns: s.turns, began: time.Now(), asked: time.Now(), recheck: func(context.Context) error {
				asked++
				return answer
			}}
			gate.Context, gate.stop = context.WithCancelCause(t.Context())
			defer gate.Close()
			enter := func() error {
				leave, err := gate.Enter()
				if err == nil {
					leave()
				}
				return err
			}
			time.Sleep(recheckInterval - time.Nanosecond)
			require.NoError(t, enter())
			require.Zero(t, asked)
			time.Sleep(time.Nanosecond)
			require.ErrorIs(t, enter(), want)
			require.NoError(t, enter())
			require.Equal(t, 1, asked)
			require.Empty(t, s.turns, "each turn is given back")
		})
	}
}

// rules.md, Unchanged: a proof holds a slot of exports while it is computed.
func TestProofHoldsASlot(t *testing.T) {
	b := setup(t)
	b.request.Query.MaxHashed = 10
	lock := b.Begin(`lock table fork_days in access exclusive mode`)
	running := int64(0)
	require.NoError(t, b.WhileWaiting(lock, func() error {
		b.send(http.MethodGet)
		return nil
	}, func() { running = b.service.slots.Stats().Running }))
	require.EqualValues(t, 1, running)
}
