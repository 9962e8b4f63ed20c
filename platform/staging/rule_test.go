package staging_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/staging"
)

const reference = "the id of a port that is stored or on an earlier line"

// rules are each rule on a file that violates it, with rows that do not. The port Bergen is stored,
// with the ship Ada.
var rules = []struct {
	name  string
	rule  func(b *bundle) staging.Rule
	ships []ship
	want  []staging.Violation
}{
	{"an object twice",
		func(b *bundle) staging.Rule { return b.ships.UniqueInFile("id", "id") },
		[]ship{{1, "ada", "x", "A"}, {2, "bea", "x", "B"}, {5, "ada", "x", "C"}},
		violations(5, "id", id("ada").String(), "each ship once in the file")},
	{"a pair of columns twice",
		func(b *bundle) staging.Rule { return b.ships.UniqueInFile("portId", "port_id, name") },
		[]ship{{1, "a", "x", "A"}, {2, "b", "x", "B"}, {3, "c", "x", "A"}},
		violations(3, "portId", id("x").String(), "each ship once in the file")},
	{"a reference to a later line",
		func(b *bundle) staging.Rule { return b.ships.References("portId", "port_id", portKind) },
		[]ship{{1, "a", "bergen", "A"}, {2, "b", "oslo", "B"}, {4, "c", "oslo", "C"}},
		violations(2, "portId", id("oslo").String(), reference)},
	{"a reference to nothing",
		func(b *bundle) staging.Rule { return b.ships.References("portId", "port_id", portKind) },
		[]ship{{5, "d", "nowhere", "D"}},
		violations(5, "portId", id("nowhere").String(), reference)},
	{"a stored object that moves",
		func(b *bundle) staging.Rule { return b.ships.Immutable("portId", "port_id", "port") },
		[]ship{{1, "new", "oslo", "N"}, {2, "ada", "oslo", "A"}},
		violations(2, "portId", id("oslo").String(), "the port that is stored, which cannot change")},
	{"a value that a stored object has",
		func(b *bundle) staging.Rule { return b.ships.Unique("name", "name", "", "a free name") },
		[]ship{{1, "bea", "oslo", "Ada"}, {2, "cat", "oslo", "Cat"}},
		violations(1, "name", "Ada", "a free name")},
	{"a value twice in the file",
		func(b *bundle) staging.Rule { return b.ships.Unique("name", "name", "", "a free name") },
		[]ship{{1, "bea", "oslo", "Bea"}, {2, "cat", "oslo", "Bea"}},
		violations(2, "name", "Bea", "a free name")},
	{"a value that its object gives up in the file",
		func(b *bundle) staging.Rule { return b.ships.Unique("name", "name", "", "a free name") },
		[]ship{{1, "bea", "oslo", "Ada"}, {2, "ada", "bergen", "Bea"}}, nil},
	{"a value that is taken in one port only",
		func(b *bundle) staging.Rule {
			return b.ships.Unique("name", "name", "port_id", "a free name")
		},
		[]ship{{1, "bea", "oslo", "Ada"}, {2, "cat", "bergen", "Cat"}, {3, "dot", "bergen", "Ada"}},
		violations(3, "name", "Ada", "a free name")},
}

func violations(line int64, field, value, expected string) []staging.Violation {
	return []staging.Violation{{Line: line, Field: field, Value: value, Expected: expected}}
}

func TestRulesFindTheLinesThatViolateThem(t *testing.T) {
	t.Parallel()
	for _, test := range rules {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.ports.Add(int64(3), id("oslo"), "Oslo")
			b.add(test.ships...)
			found, err := b.stage.Violations(t.Context(), []staging.Rule{test.rule(b)}, 10)
			require.NoError(t, err)
			require.Equal(t, test.want, found)
		})
	}
}

func TestViolationsAreLimitedByRuleAndOrderedByLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for line := range int64(9) {
		b.add(ship{9 - line, "x", "nowhere", "N"})
	}
	found, err := b.stage.Violations(t.Context(), []staging.Rule{
		b.ships.References("portId", "port_id", portKind), b.ships.UniqueInFile("id", "id"),
	}, 2)
	require.NoError(t, err)
	var lines []int64
	for _, v := range found {
		lines = append(lines, v.Line)
	}
	require.Equal(t, []int64{1, 2, 2, 3}, lines)
}

func TestRuleOfAnEmptyTableIsNotChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	broken := staging.Rule{Table: b.ships, Name: "broken", Query: "select nothing"}
	found, err := b.stage.Violations(t.Context(), []staging.Rule{broken}, 10)
	require.NoError(t, err)
	require.Empty(t, found)
	b.add(ship{1, "x", "y", "z"})
	_, err = b.stage.Violations(t.Context(), []staging.Rule{broken}, 10)
	require.ErrorContains(t, err, "check broken of import_ships")
}
