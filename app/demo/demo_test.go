package demo_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/identity"
	"dg/modules/identity/password"
	"dg/modules/importer"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

func story(t *testing.T, seed uint64, now time.Time) []byte {
	var b bytes.Buffer
	require.NoError(t, demo.Write(&b, seed, now))
	return b.Bytes()
}

func load(t testing.TB, db *postgres.DB, content []byte) importer.Summary {
	t.Helper()
	input := importer.Input{Name: "demo.ndjson", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
	s, err := importer.New(db.Pool).Import(context.Background(), []importer.Input{input}, nil)
	require.NoError(t, err)
	return s
}

func TestTheSameSeedAndInstantGiveTheSameFile(t *testing.T) {
	t.Parallel()
	assert.True(t, bytes.Equal(story(t, 1, now), story(t, 1, now)))
	assert.False(t, bytes.Equal(story(t, 1, now), story(t, 2, now)))
}

// One import serves these: under the race detector it is the slow part.
func TestDemo(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	content := story(t, 1, now)
	load(t, db.Owner, content)
	for name, test := range map[string]func(*testing.T, *pgtest.Database){
		"looks real":           looksReal,
		"players learn":        playersLearn,
		"accounts can sign in": accountsCanSignIn,
	} {
		t.Run(name, func(t *testing.T) { test(t, db) })
	}
	t.Run("imported again it changes nothing", func(t *testing.T) { importedAgain(t, db, content) })
}

func looksReal(t *testing.T, db *pgtest.Database) {
	t.Helper()
	for what, want := range map[string][2]float64{
		"select count(*) from organisations": {2, 2},
		"select count(*) from users":         {5, 5},
		"select count(*) from players":       {248, 248},
		"select count(*) from plays":         {15_000, 25_000},
		"select count(*) from forks where org_id = (select id from organisations where slug = " +
			"'harbour-and-vale')": {6, 6},
		"select count(*) from forks f where not exists (select from plays p where p.fork_id " +
			"= f.id)": {1, 1},
		"select count(*) from plays p join forks f on f.id = p.fork_id where " +
			"f.deployed_release_number is null": {0, 0},
		"select count(distinct a) from (select distinct get_byte(answers, generate_series(0, " +
			"octet_length(answers)-1)) / 2 a from plays) s": {30, 30},
		"select count(distinct release_number) " +
			"from plays": {6, 12},
		"select avg(score) from plays":       {5500, 8500},
		"select avg(passed::int) from plays": {0.4, 0.85},
		"select avg((completed_at is null)::int) " +
			"from plays": {0.05, 0.15},
		"select avg((extract(isodow from started_at at time zone 'UTC') > 5)::int) " +
			"from plays": {0, 0.03},
		"select avg((extract(hour from started_at at time zone 'UTC') between 7 and 18)::int) " +
			"from plays": {0.9, 1},
		"select count(*) from plays where started_at >= " +
			"'2026-11-20Z'": {1, 120},
		"select count(*) from plays where started_at < " +
			"'2025-11-20Z'": {4000, 15_000},
		"select count(*) from plays where started_at > '2026-11-20 15:30Z' or completed_at > " +
			"'2026-11-20 15:30Z'": {0, 0},
		"select count(*) from players p where not exists (select from plays y where y.org_id = " +
			"p.org_id and y.player = p.ordinal)": {3, 25},
		"select count(*) from (select group_id from group_members group by 1 having count(*) in " +
			"(4, 5, 40, 36, 12)) g": {6, 6},
	} {
		var got float64
		require.NoError(t,
			db.Owner.Pool.QueryRow(context.Background(), "select ("+what+")::float8").Scan(&got),
			what)
		assert.True(t, got >= want[0] && got <= want[1], "%s: %v, want %v", what, got, want)
	}
}

func playersLearn(t *testing.T, db *pgtest.Database) {
	t.Helper()
	var first, later float64
	require.NoError(t, db.Owner.Pool.QueryRow(context.Background(), `
		select avg(score) filter (where nth = 1), avg(score) filter (where nth between 5 and 10)
		from (select score, row_number() over (partition by fork_id, player order by started_at) nth from plays) p`).
		Scan(&first, &later))
	assert.Greater(t, later, first+500)
}

func importedAgain(t *testing.T, db *pgtest.Database, content []byte) {
	t.Helper()
	before := versions(t, db.Owner)
	s := load(t, db.Owner, content)
	for _, c := range s.Counts {
		assert.Zero(t, c.Added+c.Replaced, c.Type)
		assert.Positive(t, c.Unchanged, c.Type)
	}
	assert.Equal(t, before, versions(t, db.Owner))
}

// versions is a checksum of which version of which row stands where, of all tables.
func versions(t *testing.T, db *postgres.DB) string {
	var sum string
	require.NoError(t, db.Pool.QueryRow(context.Background(), `
		select md5(string_agg(s, '|' order by s)) from (
			select tableoid || ':' || ctid || ':' || xmin as s from organisations
			union all select tableoid || ':' || ctid || ':' || xmin from users
			union all select tableoid || ':' || ctid || ':' || xmin from memberships
			union all select tableoid || ':' || ctid || ':' || xmin from players
			union all select tableoid || ':' || ctid || ':' || xmin from player_ordinals
			union all select tableoid || ':' || ctid || ':' || xmin from player_groups
			union all select tableoid || ':' || ctid || ':' || xmin from group_members
			union all select tableoid || ':' || ctid || ':' || xmin from games
			union all select tableoid || ':' || ctid || ':' || xmin from forks
			union all select tableoid || ':' || ctid || ':' || xmin from plays) v`).Scan(&sum))
	return sum
}

func accountsCanSignIn(t *testing.T, db *pgtest.Database) {
	t.Helper()
	for _, a := range demo.Accounts {
		var hash, role, secret string
		require.NoError(t, db.Owner.Pool.QueryRow(context.Background(), `
			select password_hash, role, coalesce(totp_secret, '') from users u join memberships m on m.user_id = u.id
			join organisations o on o.id = m.org_id where u.email_key = $1 and o.name = $2`,
			identity.EmailKey(a.Email), a.Organisation).Scan(&hash, &role, &secret), a.Email)
		assert.True(t, password.Verify(hash, a.Password), a.Email)
		assert.Equal(t, a.Role, role)
		assert.Equal(t, a.TOTPSecret, secret)
	}
}

// The memory that an import holds while it reads does not grow with the number of plays.
func TestImportHoldsConstantMemory(t *testing.T) {
	plays := 2_000
	if os.Getenv("DG_SOAK") == "1" {
		plays = 200_000
	}
	small := importLiveHeap(t, plays)
	large := importLiveHeap(t, 4*plays)
	t.Logf("live heap at most: %d KB, %d KB", small>>10, large>>10)
	assert.Less(t, large, small+1<<20) // 170 bytes a play, in every run
}

// importLiveHeap imports that many plays and returns the most memory in use after a garbage
// collection.
func importLiveHeap(t *testing.T, plays int) (most uint64) {
	t.Helper()
	input := generated("scale", func(w io.Writer) error {
		_, err := demo.Scale(w, 1, now, demo.Size{Plays: plays, Players: 500})
		return err
	})
	_, err := importer.New(pgtest.New(t).Owner.Pool).
		Import(t.Context(), []importer.Input{input}, func(importer.Progress) {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		})
	require.NoError(t, err)
	return most
}
