package staging_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/staging"
)

// rules are each rule on a file that violates it, beside rows that do not. Bergen is stored, and
// the ship Ada in it.
var rules = []struct {
	name string
	rule func(b *bundle) staging.Rule
	fill func(b *bundle)
	want []staging.Violation
}{
	{"an object twice",
		func(b *bundle) staging.Rule { return b.ships.UniqueInFile("id", "id") },
		func(b *bundle) {
			b.ship(1, "ada", "x", "A")
			b.ship(2, "bea", "x", "B")
			b.ship(5, "ada", "x", "C")
		},
		[]staging.Violation{
			{
				Line:     5,
				Field:    "id",
				Value:    id("ada").String(),
				Expected: "each ship once in the file",
			},
		}},
	{"a pair of columns twice",
		func(b *bundle) staging.Rule { return b.ships.UniqueInFile("portId", "port_id, name") },
		func(b *bundle) {
			b.ship(1, "a", "x", "A")
			b.ship(2, "b", "x", "B")
			b.ship(3, "c", "x", "A")
		},
		[]staging.Violation{
			{
				Line:     3,
				Field:    "portId",
				Value:    id("x").String(),
				Expected: "each ship once in the file",
			},
		}},
	{"a reference to nothing, and to a later line",
		func(b *bundle) staging.Rule { return b.ships.References("portId", "port_id", portKind) },
		func(b *bundle) {
			b.ports.Add(int64(3), id("oslo"), "Oslo")
			b.ship(1, "a", "bergen", "A")
			b.ship(2, "b", "oslo", "B")
			b.ship(4, "c", "oslo", "C")
			b.ship(5, "d", "nowhere", "D")
		},
		[]staging.Violation{
			{
				Line:     2,
				Field:    "portId",
				Value:    id("oslo").String(),
				Expected: "the id of a port that is stored or on an earlier line",
			},
			{
				Line:     5,
				Field:    "portId",
				Value:    id("nowhere").String(),
				Expected: "the id of a port that is stored or on an earlier line",
			}}},
	{"a stored object that moves",
		func(b *bundle) staging.Rule { return b.ships.Immutable("portId", "port_id", "port") },
		func(b *bundle) {
			b.ship(1, "new", "oslo", "N")
			b.ship(2, "ada", "oslo", "A")
		},
		[]staging.Violation{
			{
				Line:     2,
				Field:    "portId",
				Value:    id("oslo").String(),
				Expected: "the port that is stored, which cannot change",
			},
		}},
	{"a value that a stored object has",
		func(b *bundle) staging.Rule { return b.ships.Unique("name", "name", "", "a free name") },
		func(b *bundle) {
			b.ship(1, "bea", "oslo", "Ada")
			b.ship(2, "cat", "oslo", "Cat")
		},
		[]staging.Violation{{Line: 1, Field: "name", Value: "Ada", Expected: "a free name"}}},
	{"a value twice in the file",
		func(b *bundle) staging.Rule { return b.ships.Unique("name", "name", "", "a free name") },
		func(b *bundle) {
			b.ship(1, "bea", "oslo", "Bea")
			b.ship(2, "cat", "oslo", "Bea")
		},
		[]staging.Violation{{Line: 2, Field: "name", Value: "Bea", Expected: "a free name"}}},
	{"a value that its object gives up in the file",
		func(b *bundle) staging.Rule { return b.ships.Unique("name", "name", "", "a free name") },
		func(b *bundle) {
			b.ship(1, "bea", "oslo", "Ada")
			b.ship(2, "ada", "bergen", "Bea")
		}, nil},
	{"a value that is taken within another object only",
		func(b *bundle) staging.Rule {
			return b.ships.Unique("name", "name", "port_id", "a free name")
		},
		func(b *bundle) {
			b.ship(1, "bea", "oslo", "Ada")
			b.ship(2, "cat", "bergen", "Cat")
			b.ship(3, "dot", "bergen", "Ada")
		},
		[]staging.Violation{{Line: 3, Field: "name", Value: "Ada", Expected: "a free name"}}},
}

func TestRulesFindTheLinesThatViolateThem(t *testing.T) {
	t.Parallel()
	for _, test := range rules {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			test.fill(b)
			b.flush()
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
		b.ship(9-line, "x", "nowhere", "N")
	}
	b.flush()
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
	b.ship(1, "x", "y", "z")
	b.flush()
	_, err = b.stage.Violations(t.Context(), []staging.Rule{broken}, 10)
	require.ErrorContains(t, err, "check broken of import_ships")
}

func TestNounsHaveTheirArticle(t *testing.T) {
	t.Parallel()
	for noun, want := range map[string]string{
		"organisation": "an organisation",
		"user":         "a user",
		"game":         "a game",
	} {
		require.Equal(t, "the id of "+want+" that is stored or on an earlier line",
			staging.Kind{Noun: noun}.ID())
	}
}
