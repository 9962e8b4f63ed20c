package publicapi

import (
	"sync"

	"github.com/maypok86/otter/v2"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/platform/httpserver/body"
)

// forkCache keeps encoded forks and fork lists by the organisation's version of their snapshot. It
// is never stale: a version does not repeat, even after a failover loses history.
type forkCache struct {
	lists *otter.Cache[versionKey, *forkList]
	forks *otter.Cache[forkKey, encodedFork]
}

type versionKey struct {
	organisationID string
	version        int64
}

type forkKey struct {
	versionKey
	forkID string
}

// The bounds of the cache: lists of a thousand organisations with 30 forks, or of three with
// 10,000; and about 10 MB of single forks.
const (
	cachedListBytes = 32 << 20
	cachedForks     = 8192
)

func newForkCache() *forkCache {
	return &forkCache{
		lists: otter.Must(&otter.Options[versionKey, *forkList]{
			MaximumWeight: cachedListBytes,
			// with the gzipped form
			Weigher: func(_ versionKey, l *forkList) uint32 {
				return uint32(len(l.body) + len(l.body)/4)
			},
		}),
		forks: otter.Must(&otter.Options[forkKey, encodedFork]{MaximumSize: cachedForks}),
	}
}

func versionOf(caller apikeys.Caller) versionKey {
	return versionKey{caller.OrganisationID, caller.OrganisationVersion}
}

// list returns the fork list of the caller's organisation at its version.
func (c *forkCache) list(caller apikeys.Caller) (*forkList, bool) {
	return c.lists.GetIfPresent(versionOf(caller))
}

func (c *forkCache) putList(l *forkList) { c.lists.Set(l.versionKey, l) }

// fork returns a fork of the caller's organisation at its version.
func (c *forkCache) fork(caller apikeys.Caller, id string) (encodedFork, bool) {
	return c.forks.GetIfPresent(forkKey{versionOf(caller), id})
}

func (c *forkCache) putFork(f encodedFork) {
	c.forks.Set(forkKey{versionKey{f.OrganisationID, f.OrganisationVersion}, f.ID}, f)
}

// encodedFork is a fork with its JSON, the body of `GET /forks/{forkId}`.
type encodedFork struct {
	games.Fork
	body []byte
}

// forkList is the encoded fork list of an organisation at a version.
type forkList struct {
	versionKey
	body    []byte
	gzipped func() []byte // compresses once
}

func newForkList(version versionKey, forks []games.Fork) *forkList {
	l := &forkList{versionKey: version}
	l.body = append(l.body, `{"items":[`...)
	for i, f := range forks {
		l.body = appendFork(appendComma(l.body, i), f)
	}
	l.body = append(l.body, "]}"...)
	l.gzipped = sync.OnceValue(func() []byte { return body.Gzip(l.body) })
	return l
}
