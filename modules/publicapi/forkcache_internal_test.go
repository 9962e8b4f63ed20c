package publicapi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

func setOf(organisation string, version int64, n int) *forkSet {
	forks := make([]games.Fork, n)
	for i := range forks {
		forks[i] = games.Fork{ID: fmt.Sprint(organisation, i), Title: fmt.Sprint("version ", version)}
	}
	return newForkSet(organisation, version, forks)
}

func forkAt(version int64, id string) answeredFork {
	return answeredFork{Fork: games.Fork{ID: id, OrganisationID: "a", OrganisationVersion: version}}
}

// Decisions, "Data": what is cached is what the organisation's version proves unchanged.
func TestForkCacheAnswersOnlyItsOwnVersion(t *testing.T) {
	t.Parallel()
	c := newForkCache(1 << 20)
	old, newer := setOf("a", 7, 3), setOf("a", -2, 3) // versions have no order
	c.put(old)
	require.Same(t, old, c.get("a", 7))
	require.Nil(t, c.get("a", -2))
	require.Nil(t, c.get("b", 7))
	c.put(newer)
	require.Nil(t, c.get("a", 7))
	require.Same(t, newer, c.get("a", -2))
	c.put(old) // read before the newer one, kept after it: the newer one is read again
	require.Nil(t, c.get("a", -2))
	c.put(newer)
	require.Same(t, newer, c.get("a", -2))
	require.Equal(t, string(newer.forks["a1"].body), string(appendFork(nil, newer.forks["a1"].Fork)))
	require.Contains(t, string(newer.list), string(newer.forks["a1"].body))
}

// Every cache has a bound: what was not used for longest goes first, and nothing is kept that would push out the rest.
func TestForkCacheIsBounded(t *testing.T) {
	t.Parallel()
	one := setOf("x", 1, 10).size()
	c := newForkCache(5 * one)
	for i := range 100 {
		c.put(setOf(fmt.Sprint("org", i), 1, 10))
		require.NotNil(t, c.get("org0", 1), "used all the time")
		require.LessOrEqual(t, c.bytes, c.limit)
		require.Len(t, c.byOrg, c.order.Len())
	}
	require.Nil(t, c.get("org50", 1))
	c.put(setOf("large", 1, 40))
	require.Nil(t, c.get("large", 1))
}

// A fork that was read alone is kept beside others, and gives way to the list and to another version.
func TestForkCacheKeepsSomeForks(t *testing.T) {
	t.Parallel()
	c, whole := newForkCache(1<<20), setOf("a", 1, 3)
	for i := range 2 * someForks {
		id := fmt.Sprint("a", i)
		c.putFork(forkAt(1, id))
		require.Contains(t, c.get("a", 1).forks, id)
		require.LessOrEqual(t, len(c.get("a", 1).forks), someForks+1)
	}
	require.Nil(t, c.get("a", 1).list)
	c.put(whole)
	c.putFork(forkAt(1, "a9"))
	require.Same(t, whole, c.get("a", 1))
	c.putFork(forkAt(2, "a9"))
	require.Nil(t, c.get("a", 1))
	require.Len(t, c.get("a", 2).forks, 1)
	require.Len(t, c.byOrg, 1)
	require.Equal(t, c.get("a", 2).size(), c.bytes)
}
