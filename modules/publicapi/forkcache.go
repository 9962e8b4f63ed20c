package publicapi

import (
	"container/list"
	"maps"
	"sync"

	"dg/modules/games"
	"dg/platform/httpserver"
)

// forkSet is an organisation's forks as they are answered: the list, and each fork in it; or, without a list, some forks.
type forkSet struct {
	organisationID string
	version        int64
	list           []byte        // nil: not all forks are here
	listGzipped    func() []byte // made when it is first asked for
	forks          map[string]answeredFork
}

// answeredFork is a fork with the body that answers it.
type answeredFork struct {
	games.Fork
	body []byte
}

func newForkSet(organisationID string, version int64, forks []games.Fork) *forkSet {
	s := &forkSet{organisationID: organisationID, version: version, forks: make(map[string]answeredFork, len(forks))}
	s.list = append(s.list, `{"items":[`...)
	ends := make([]int, len(forks))
	for i, f := range forks {
		s.list = appendFork(appendComma(s.list, i), f)
		ends[i] = len(s.list)
	}
	s.list = append(s.list, "]}"...)
	begin := len(`{"items":[`)
	for i, f := range forks {
		s.forks[f.ID] = answeredFork{f, s.list[begin:ends[i]:ends[i]]}
		begin = ends[i] + len(",")
	}
	s.listGzipped = sync.OnceValue(func() []byte { return httpserver.Gzip(s.list) })
	return s
}

// size is about what the set takes in memory: the list, the same compressed, and some 400 bytes a fork; as much again for
// the body of a fork that is in no list.
func (s *forkSet) size() int {
	if s.list == nil {
		return 800 * len(s.forks)
	}
	return len(s.list) + len(s.list)/4 + 400*len(s.forks)
}

// forkCache keeps the fork sets of organisations, each under the version of the snapshot that it was read from, and returns
// it for that version alone. Never stale: a version never repeats, not even when history is lost. It holds at most limit bytes; what was not used for longest goes first.
type forkCache struct {
	mu    sync.Mutex
	limit int
	bytes int
	order *list.List // of *forkSet, most recently used first
	byOrg map[string]*list.Element
}

// forkCacheBytes bounds the cache: the lists of a thousand organisations of 30 forks, or of three of 10,000.
const forkCacheBytes = 32 << 20

func newForkCache(limit int) *forkCache {
	return &forkCache{limit: limit, order: list.New(), byOrg: map[string]*list.Element{}}
}

// get returns the organisation's forks of exactly that version, or nil.
func (c *forkCache) get(organisationID string, version int64) *forkSet {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byOrg[organisationID]
	if !ok || e.Value.(*forkSet).version != version {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*forkSet)
}

// someForks is how many forks are kept of an organisation whose list nobody asks for.
const someForks = 32

// putFork keeps a fork that was read alone.
func (c *forkCache) putFork(f answeredFork) {
	organisationID, version := f.OrganisationID, f.OrganisationVersion
	some := &forkSet{organisationID: organisationID, version: version, forks: map[string]answeredFork{f.ID: f}}
	if known := c.get(organisationID, version); known != nil && len(known.forks) < someForks {
		maps.Copy(some.forks, known.forks)
	}
	c.put(some)
}

// put keeps a set in place of what is there of its organisation, unless that is the list of the same version, or the set is
// larger than half of the cache. Versions have no order: a set that was read under an older one may replace a newer one,
// which is then read again.
func (c *forkCache) put(s *forkSet) {
	if s.size() > c.limit/2 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byOrg[s.organisationID]; ok {
		if known := e.Value.(*forkSet); known.version == s.version && known.list != nil {
			return
		}
		c.remove(e)
	}
	c.byOrg[s.organisationID] = c.order.PushFront(s)
	for c.bytes += s.size(); c.bytes > c.limit; {
		c.remove(c.order.Back())
	}
}

func (c *forkCache) remove(e *list.Element) {
	s := c.order.Remove(e).(*forkSet)
	delete(c.byOrg, s.organisationID)
	c.bytes -= s.size()
}
