package games_test

import (
	"testing"
	"time"

	"dg/modules/games"
	"dg/platform/testkit"
)

const (
	ours    = "00000000-0000-4000-8000-00000000000a"
	theirs  = "00000000-0000-4000-8000-00000000000b"
	unknown = "00000000-0000-4000-8000-00000000000c"
)

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

type bundle struct {
	*testkit.World
	games *games.Service
	game  string
}

// setup makes two organisations and a game.
func setup(t *testing.T) bundle {
	t.Helper()
	t.Parallel()
	b := bundle{World: testkit.New(t)}
	b.games = games.New(b.DB)
	b.game = b.Game()
	b.Organisation(testkit.Organisation{ID: ours})
	b.Organisation(testkit.Organisation{ID: theirs})
	return b
}

// fork stores a fork with the id as its slug.
func (b bundle) fork(id, organisation string, createdAt time.Time) {
	b.Fork(testkit.Fork{
		ID: id, OrganisationID: organisation, GameID: b.game, CreatedAt: createdAt,
	})
}
