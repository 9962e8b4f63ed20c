package games_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/testkit/pgtest"
)

const (
	ours    = "00000000-0000-4000-8000-00000000000a"
	theirs  = "00000000-0000-4000-8000-00000000000b"
	unknown = "00000000-0000-4000-8000-00000000000c"
	aGame   = "00000000-0000-4000-8000-00000000000d"
)

type bundle struct {
	*pgtest.Database
	t     *testing.T
	games *games.Service
}

// setup makes two organisations and a game.
func setup(t *testing.T) bundle {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	b := bundle{Database: db, t: t, games: games.New(db.DB)}
	b.exec(`insert into organisations (id, slug, name, plan, reporting_mode) values
		($1, 'ours', 'Ours', 'pro', 'pseudonymous'), ($2, 'theirs', 'Theirs', 'free', 'nominative')`, ours, theirs)
	b.exec(`insert into games (id, slug, title) values ($1, 'game', 'A game')`, aGame)
	return b
}

func (b bundle) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.Owner.Pool.Exec(b.t.Context(), sql, args...)
	require.NoError(b.t, err)
}

// fork makes one with the id as its slug.
func (b bundle) fork(id, organisation, createdAt string) {
	b.t.Helper()
	b.exec(`insert into forks (id, org_id, game_id, slug, title, major, status, visibility, source_locale, suspended, configuration, created_at, updated_at)
		values ($1, $2, $3, $1::uuid::text, 'A fork', 1, 'active', 'public', 'en', false, '{"secret": "configuration"}', $4, $4)`, id, organisation, aGame, createdAt)
}
