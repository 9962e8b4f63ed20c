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

// Organisations take turns: behind an organisation's first fork comes another organisation's, and then its second.
func TestOrganisationsAreSealedInTurn(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const lastOrg, lastFork = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	e.exec(t, insertSQL, testFrom, 5, 100)
	e.exec(t, `insert into organisations (id, slug, name, plan, reporting_mode) values ($1, 'last', 'Last', 'pro', 'nominative')`, lastOrg)
	e.exec(t, `insert into forks (id, org_id, game_id, slug, title, major, status, visibility, source_locale, suspended, created_at, updated_at)
		select $1, $2, $3, 'f', 'F', 1, 'active', 'public', 'en', false, now(), now()`, lastFork, lastOrg, testOrg)
	e.exec(t, `insert into players (id, org_id, ordinal, label, display_name) values (gen_random_uuid(), $1, 1, 'P-1', 'Player 1')`, lastOrg)
	e.exec(t, `insert into plays (id, org_id, fork_id, player, started_at, answers) values (gen_random_uuid(), $1, $2, 1, $3, '')`, lastOrg, lastFork, testFrom)
	conn, err := e.db.DB.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	forks, err := largeForks(t.Context(), conn, 0)
	require.NoError(t, err)
	require.Equal(t, []fork{{testOrg, testFork}, {lastOrg, lastFork}, {testOrg, otherFork}}, forks)
}
