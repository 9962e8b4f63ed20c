package publicapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/games"
)

// rules.md, Data: the cache returns forks of the organisation at exactly that version.
func TestForkCacheAnswersOnlyItsOwnVersion(t *testing.T) {
	t.Parallel()
	c := newForkCache()
	at := versionKey{"a", 7}
	caller := apikeys.Caller{OrganisationID: at.organisationID, OrganisationVersion: at.version}
	fork := encodedFork{
		Fork: games.Fork{ID: "a1", OrganisationID: "a", OrganisationVersion: 7}, body: []byte("{}"),
	}
	c.putFork(fork)
	c.putList(newForkList(at, []games.Fork{fork.Fork}))

	list, ok := c.list(caller)
	require.True(t, ok)
	require.Equal(t, `{"items":[`+string(appendFork(nil, fork.Fork))+`]}`, string(list.body))
	got, ok := c.fork(caller, "a1")
	require.True(t, ok)
	require.Equal(t, fork, got)

	caller.OrganisationVersion = -2 // versions have no order
	_, ok = c.list(caller)
	require.False(t, ok)
	_, ok = c.fork(caller, "a1")
	require.False(t, ok)
	_, ok = c.list(apikeys.Caller{OrganisationID: "b", OrganisationVersion: 7})
	require.False(t, ok)
}

// The cache is bounded, and does not keep a list that is larger.
func TestForkCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newForkCache()
	large := make([]byte, cachedListBytes)
	for version := range int64(100) {
		c.putList(&forkList{versionKey: versionKey{"a", version}, body: large[:len(large)/8]})
	}
	c.putList(&forkList{versionKey: versionKey{"b", 1}, body: large})
	c.lists.CleanUp()
	require.LessOrEqual(t, c.lists.WeightedSize(), uint64(cachedListBytes))
	require.Positive(t, c.lists.EstimatedSize())
	_, ok := c.list(apikeys.Caller{OrganisationID: "b", OrganisationVersion: 1})
	require.False(t, ok)
}
