package staging_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/platform/staging"
)

func TestRowsAreStoredWithTheirLineAndTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	table := b.stage.Table(staging.Kind{Noun: "sample", Stored: "samples"},
		"id uuid, ids uuid[], text text, whole integer, small smallint, flag boolean, json "+
			"jsonb, bytes bytea, at timestamptz")
	b.exec(`create temporary table import_samples (line bigint, id uuid, ids uuid[], text text,
		whole integer, small smallint,
		flag boolean, json jsonb, bytes bytea, at timestamptz)`)
	at := time.Date(1969, 12, 31, 23, 59, 59, 1e6, time.UTC)
	table.Add(int64(7), id("a"), []uuid.UUID{id("b"), id("c")}, "é\"\\,\t", new(int32(-1)),
		new(int16(8755)), new(false), []byte(`{"k":[1]}`), []byte{0, 255}, at)
	table.Add(int64(8), id("b"), []uuid.UUID{}, (*string)(nil), (*int32)(nil), (*int16)(nil),
		(*bool)(nil), []byte(nil), []byte{}, (*time.Time)(nil))
	b.flush()
	require.EqualValues(t, 2, table.Rows())
	require.Equal(t, `7|é"\,`+"\t"+`|-1|8755|f|{"k": [1]}|\x00ff|1969-12-31 23:59:59.001`,
		b.one(
			`select concat_ws('|', line, text, whole, small, flag, json, bytes,
				at at time zone 'UTC') from import_samples where line = 7`,
		))
	require.Equal(t, id("b").String()+","+id("c").String(),
		b.one(`select array_to_string(ids, ',') from import_samples where line = 7`))
	require.Equal(t, "6",
		b.one(
			`select num_nulls(text, whole, small, flag, json, at) from import_samples where line = 8`,
		))
	require.Equal(t, "0 0",
		b.one(`select cardinality(ids) || ' ' || length(bytes) from import_samples where line = 8`))
}

func TestRowOfAnotherWidthIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ports.Add(int64(1), id("oslo"))
	require.ErrorContains(t, b.stage.Flush(t.Context()), "copy to import_ports")
}

func TestFlushSendsEachRowOnceInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.flush()
	for line := range int64(3) {
		b.ports.Add(line, id("p"), "P")
		b.add(ship{line, "x", "y", "z"})
	}
	b.flush()
	require.Equal(t, "0 1 2",
		b.one(`select string_agg(line::text, ' ' order by ctid) from import_ships`))
	require.Equal(t, "0 1 2",
		b.one(`select string_agg(line::text, ' ' order by ctid) from import_ports`))
}

func TestDiscardedRowsAreNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stage.Discard()
	b.add(ship{1, "x", "y", "z"})
	require.Equal(t, "0", b.one(`select count(*) from import_ships`))
}

func TestTruncateEmptiesTheTablesForTheNextFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(ship{1, "x", "y", "z"})
	require.NoError(t, b.stage.Analyze(t.Context()))
	require.Equal(t, "1", b.one(`select reltuples from pg_class where relname = 'import_ships'`))
	require.NoError(t, b.stage.Truncate(t.Context()))
	require.Zero(t, b.ships.Rows())
	require.Equal(t, "0", b.one(`select count(*) from import_ships`))
}

func TestWriteCountsWhatItChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	write := func() {
		require.NoError(t, b.stage.Write(t.Context(), b.ships,
			`update ships s set name = i.name from import_ships i where s.id = i.id and s.name <> i.name`,
			`insert into ships select id, port_id, name from import_ships i where not exists (select
				from ships s where s.id = i.id)`))
	}
	write()
	require.Equal(t, staging.Count{Type: "ship"}, b.stage.Counts()[1], "nothing staged")
	for line, name := range []string{"Ada", "Bea", "Cat"} {
		b.add(ship{int64(line), strings.ToLower(name), "bergen", name})
	}
	write()
	require.Equal(t, staging.Count{Type: "ship", Added: 2, Unchanged: 1}, b.stage.Counts()[1])
	require.NoError(t, b.stage.Truncate(t.Context()))
	b.add(ship{1, "ada", "bergen", "Ida"})
	write()
	require.Equal(t, staging.Count{Type: "ship", Added: 2, Replaced: 1, Unchanged: 1},
		b.stage.Counts()[1], "of both files")
	require.EqualValues(t, 3, b.ships.Changed())
	require.ErrorContains(t, b.stage.Write(t.Context(), b.ships, "select nothing", ""),
		"update ships")
}

func TestFailedCopyNamesTheTable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ships.Add(int64(1), id("x"), id("y"), "z")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := b.stage.Flush(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "import_ships")
}
