package chaos

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// erasureBreaks: a player is erased wholly or not at all, and the same command again says which.
func (e *editions) erasureBreaks() {
	player := func(offset int) string {
		return apptest.Read[string](e.T, e.door,
			`select p.id::text from players p join plays y on y.org_id = p.org_id and y.player = p.ordinal
			where y.started_at > now() - interval '8 d' group by p.id order by count(*) desc, p.id limit 1 offset $1`,
			offset)
	}
	entries := func(id string) int {
		return apptest.Read[int](e.T, e.door,
			`select count(*) from audit_entries where action = 'player.erased' and target_id = $1`,
			id)
	}
	first := player(0)
	e.kills("dg erase", "plays", "erase", first)
	e.unchanged()
	require.Zero(e, entries(first))
	begun := time.Now()
	erased := e.run("erase", first)
	require.Zero(e, erased.Status(time.Minute), "%s", erased.Log.String())
	e.changed(begun)
	require.Equal(e, 1, entries(first))
	again := e.run("erase", first)
	require.Equal(e, 1, again.Status(time.Minute))
	require.Contains(e, again.Out.String(), "no such player")
	e.unchanged()
	require.Equal(e, 1, entries(first))
}

// kills runs a command until it waits for a table, and ends it there.
func (e *editions) kills(name, table string, args ...string) {
	release := e.holding(`lock table ` + table + ` in share row exclusive mode`)
	defer release()
	c := e.run(args...)
	apptest.Until(e.T, time.Minute, name+" does not come to write", func() bool {
		return e.working(name, `wait_event_type = 'Lock'`)
	})
	c.Kill()
	release()
	apptest.Until(e.T, 30*time.Second, "its work goes on", func() bool {
		return !e.working(name, `true`)
	})
}

// revocationsBreak: the keys of a list are revoked with their entries or not at all, and the same
// command again revokes them.
func (e *editions) revocationsBreak() {
	ids := e.leaked
	list := filepath.Join(e.TempDir(), "revoked")
	require.NoError(e, os.WriteFile(list, []byte(strings.Join(ids, "\n")), 0o600))
	state := func() [2]int {
		return [2]int{
			apptest.Read[int](e.T, e.door,
				`select count(*) from api_keys where revoked_at is not null and id = any($1)`, ids),
			apptest.Read[int](e.T, e.door,
				`select count(*) from audit_entries where action = 'api_key.revoked' and target_id = any($1)`,
				ids),
		}
	}
	e.kills("dg keys", "audit_entries", "keys", "revoke", "--from", list)
	require.Equal(e, [2]int{0, 0}, state())
	for range 2 {
		c := e.run("keys", "revoke", "--from", list)
		require.Zero(e, c.Status(time.Minute), "%s", c.Log.String())
		require.Equal(e, [2]int{5, 5}, state())
	}
}

// rebuildBreaks: half-rebuilt segments change no answer, and the same command again completes them.
func (e *editions) rebuildBreaks() {
	e.kills("dg segments", "fork_days", "segments", "rebuild")
	e.unchanged()
	e.awaitReadings()
	for _, do := range []string{"rebuild", "verify"} {
		c := e.run("segments", do)
		require.Zero(e, c.Status(2*time.Minute), "%s%s", c.Out.String(), c.Log.String())
	}
	e.unchanged()
}
