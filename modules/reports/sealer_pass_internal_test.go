package reports

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// pass runs the sealer until its first pass is over and returns what it reported.
func (e *env) pass(t *testing.T) (done Sealed, failure error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	e.sealer.OnPass = func(sealed Sealed, err error) { done, failure = sealed, err; stop() }
	e.sealer.Run(ctx)
	return done, failure
}

// A pass reports what it leaves unsealed.
func TestPassReportsTheBacklog(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec(t, insertSQL, testFrom, 20, 500)
	release := e.hold(t, `select pg_advisory_xact_lock(`+lockText+`)`)
	_, err := e.pass(t)
	require.ErrorIs(t, err, ErrSealerLocked)
	release()
	e.exec(t, `revoke insert on fork_days from dg_app`)
	done, err := e.pass(t)
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrSealerLocked)
	require.Greater(t, done.Backlog(), 20, "of two forks")
	e.exec(t, `grant insert on fork_days to dg_app`)
	done, err = e.pass(t)
	require.NoError(t, err)
	require.Zero(t, done.Backlog())
}
