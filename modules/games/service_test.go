package games_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

const (
	ourFork   = "00000000-0000-4000-8000-0000000000aa"
	theirFork = "00000000-0000-4000-8000-0000000000bb"
)

// The deployed release is null when none is deployed; the configuration is never read.
func TestForkHasItsFields(t *testing.T) {
	b := setup(t)
	b.fork(ourFork, ours, time.Date(2026, 1, 2, 1, 4, 5, 678_000_000, time.UTC))
	want := games.Fork{
		ID: ourFork, OrganisationID: ours, GameID: b.game, Slug: ourFork, Title: "A fork", Major: 1,
		Status: "active", Visibility: "public", SourceLocale: "en",
		CreatedAt: time.Date(2026, 1, 2, 1, 4, 5, 678_000_000, time.UTC),
		UpdatedAt: time.Date(2026, 1, 2, 1, 4, 5, 678_000_000, time.UTC),
	}
	check := func() {
		t.Helper()
		want.OrganisationVersion = b.version(ours)
		fork, err := b.games.Fork(t.Context(), ours, ourFork)
		require.NoError(t, err)
		require.Equal(t, want, fork)
		forks, err := b.games.Forks(t.Context(), ours)
		require.NoError(t, err)
		require.Equal(t, []games.Fork{want}, forks, "the element of the list has the same shape")
		require.NotContains(t, fmt.Sprintf("%+v", forks), "configuration")
	}
	check()

	b.Exec(`update forks set slug = 's', title = 'Tïtre <b>', major = 3, status = 'archived',
		visibility = 'restricted', source_locale = 'pt',
		deployed_release_number = 0, suspended = true, updated_at = '2026-03-01 00:00:00.999Z'`)
	want.Slug = "s"
	want.Title = "Tïtre <b>"
	want.Major = 3
	want.Status = "archived"
	want.Visibility = "restricted"
	want.SourceLocale = "pt"
	want.DeployedRelease = new(0)
	want.Suspended = true
	want.UpdatedAt = time.Date(2026, 3, 1, 0, 0, 0, 999_000_000, time.UTC)
	check()
}

// Active and archived forks of the organisation only, by createdAt, then id (rules.md, Formats).
func TestForksAreListedInOrder(t *testing.T) {
	b := setup(t)
	var want []string
	// four are of one instant; the later the instant, the smaller the id
	id := func(place int) string {
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", 0x1000+(9-place/4)*4+place%4)
	}
	for i := range 40 {
		place := (i * 23) % 40
		b.fork(id(place), ours, day.Add(time.Duration(place/4)*time.Millisecond))
		b.fork(fmt.Sprintf("00000000-0000-4000-8000-%012x", 0x2000+i), theirs, day)
		want = append(want, id(i))
	}
	b.Exec(`update forks set status = 'archived' where id::text like '%3'`)
	forks, err := b.games.Forks(t.Context(), ours)
	require.NoError(t, err)
	var got []string
	archived := 0
	for _, f := range forks {
		require.Equal(t, ours, f.OrganisationID)
		got = append(got, f.ID)
		if f.Status == "archived" {
			archived++
		}
	}
	require.Equal(t, want, got)
	require.Positive(t, archived)

	none, err := b.games.Forks(t.Context(), unknown)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NotNil(t, none, "an empty list is [] and not null")
}

// Only ForkOwner distinguishes a fork of another organisation from an unknown one (rules.md, Order
// of checks).
func TestForkOwnerDistinguishesUnknownForks(t *testing.T) {
	b := setup(t)
	b.fork(ourFork, ours, day)
	b.fork(theirFork, theirs, day)

	for fork, want := range map[string]string{ourFork: ours, theirFork: theirs} {
		owner, err := b.games.ForkOwner(t.Context(), fork)
		require.NoError(t, err)
		require.Equal(t, want, owner)
	}
	fork, err := b.games.Fork(t.Context(), ours, theirFork)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.Zero(t, fork)

	for name, id := range map[string]string{
		"unknown":              unknown,
		"empty":                "",
		"a word":               "forks",
		"upper case":           strings.ToUpper(ourFork),
		"without dashes":       strings.ReplaceAll(ourFork, "-", ""),
		"braces":               "{" + ourFork + "}",
		"a newline at the end": ourFork + "\n",
		"one long":             ourFork + "a",
		"NUL":                  "\x00",
		"invalid UTF-8":        "\xff",
		"SQL":                  "' or true --",
		"an organisation":      ours,
		"a game":               b.game,
	} {
		owner, err := b.games.ForkOwner(t.Context(), id)
		require.True(t, apperr.Is(err, apperr.NotFound), "%s: %v", name, err)
		require.Empty(t, owner, name)
		fork, err := b.games.Fork(t.Context(), ours, id)
		require.True(t, apperr.Is(err, apperr.NotFound), "%s: %v", name, err)
		require.Zero(t, fork, name)
	}
}

// Every change to a fork, by any statement, gives its organisation a new version (rules.md, Data).
func TestVersionChangesWithEveryChangeToForks(t *testing.T) {
	b := setup(t)
	versions := func() [2]int64 { return [2]int64{b.version(ours), b.version(theirs)} }
	first := versions()
	b.fork(theirFork, theirs, day)
	require.Equal(t, first[0], versions()[0],
		"an insert changes the version of its organisation only")
	require.NotEqual(t, first[1], versions()[1])
	for _, c := range []struct {
		statement    string
		ours, theirs int64
	}{
		{`insert into forks select '` + ourFork + `', '` + ours +
			`', game_id, slug, title, major, status, visibility, source_locale, 1,
			suspended, configuration, created_at, updated_at from forks`, 1, 0},
		{`update forks set title = 'T' where id = '` + ourFork + `'`, 1, 0},
		{`update forks set deployed_release_number = null where id = '` + ourFork + `'`, 1, 0},
		{`update forks set configuration = '{}' where id = '` + theirFork + `'`, 0, 1},
		{`update forks set status = 'archived'`, 1, 1},
		{`update forks set status = 'active' where false`, 0, 0},
		{`insert into forks select * from forks on conflict (id) do nothing`, 0, 0},
		{
			`insert into forks select * from forks on conflict (id) do update set suspended = true`,
			1, 1,
		},
		{
			`merge into forks f using (select 1) s on f.org_id = '` + ours +
				`' when matched then update set major = 2`, 1, 0,
		},
		{`delete from forks where id = '` + ourFork + `'`, 1, 0},
		{`delete from forks where id = '` + ourFork + `'`, 0, 0},
		{`update games set title = 'T'`, 0, 0},
		{`truncate forks cascade`, 1, 1},
	} {
		before := versions()
		b.Exec(c.statement)
		after := versions()
		require.Equal(t, [2]bool{c.ours > 0, c.theirs > 0},
			[2]bool{after[0] != before[0], after[1] != before[1]}, c.statement)
	}
}

// A fork that cannot be read is not reported as one that does not exist: the one is 503, the other
// 404.
func TestUnreachableForksAreNotMissing(t *testing.T) {
	b := setup(t)
	gone := pgtest.Open(t, b.URL, postgres.Options{MaxConns: 1})
	gone.Close()
	forks := games.New(gone)
	_, list := forks.Forks(t.Context(), ours)
	_, fork := forks.Fork(t.Context(), ours, ourFork)
	_, owner := forks.ForkOwner(t.Context(), ourFork)
	for name, err := range map[string]error{"list": list, "fork": fork, "owner": owner} {
		require.True(t, postgres.Unavailable(err), "%s: %v", name, err)
	}
}
