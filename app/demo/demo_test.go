package demo_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/demo"
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

func load(t *testing.T, db *postgres.DB, content []byte) {
	t.Helper()
	input := importer.Input{Name: "demo.ndjson", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
	_, err := importer.Importer{Pool: db.Pool}.Import(context.Background(), []importer.Input{input}, nil)
	require.NoError(t, err)
}

func TestTheSameSeedAndInstantGiveTheSameFile(t *testing.T) {
	t.Parallel()
	assert.True(t, bytes.Equal(story(t, 1, now), story(t, 1, now)))
	assert.False(t, bytes.Equal(story(t, 1, now), story(t, 2, now)))
}

// The hashes of the accounts are written down: they are those of their passwords.
func TestDemoPasswordsMatchTheirHashes(t *testing.T) {
	t.Parallel()
	hash := regexp.MustCompile(`"passwordHash":"([^"]+)"`)
	found := hash.FindAllStringSubmatch(string(story(t, demo.Seed, now)), -1)
	require.Len(t, found, len(demo.Accounts))
	for i, a := range demo.Accounts {
		assert.True(t, password.Verify(found[i][1], a.Password), a.Email)
	}
}

// One import serves both: under the race detector it is the slow part.
func TestDemo(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	load(t, db.Owner, story(t, 1, now))
	t.Run("looks real", func(t *testing.T) { looksReal(t, db) })
	t.Run("players learn", func(t *testing.T) { playersLearn(t, db) })
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
	_, err := importer.Importer{Pool: pgtest.New(t).Owner.Pool}.
		Import(t.Context(), []importer.Input{input}, func(importer.Progress) {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		})
	require.NoError(t, err)
	return most
}
