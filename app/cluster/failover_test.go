package cluster

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/cluster"
)

// goodWithin bounds the time from a promotion until every instance answers.
const goodWithin = 10 * time.Second

// configs/deploy, failover: the primary is killed and a standby promoted, under load. No answer is
// wrong, every instance answers within ten seconds, what was revoked stays revoked, and the rate
// window is forgotten. The old primary comes back as a standby.
func (x *clustered) failover(t *testing.T) {
	l := x.startLoad(t)
	browser := x.browser(t)
	var revoked []string
	for range 20 {
		token := x.db.Key(x.fork.OrganisationID).Token()
		apptest.RevokeKey(t, browser, x.slug, token)
		revoked = append(revoked, token)
	}
	spent := x.spentKey(t)
	l.watch(t, 2*time.Second)

	left := time.Now()
	old := x.DB[0]
	old.Kill()
	next, other := x.furthest()
	next.Promote()
	promoted := time.Now()
	x.PoolTo(next)
	x.untilGood(t)
	require.Less(t, time.Since(promoted), goodWithin, "%v", &l.between(left, time.Now()).asked)
	for _, token := range revoked {
		for _, i := range x.Instances {
			status, _ := apptest.FetchFrom(http.DefaultClient, i.URL+"/api/v1/forks", token)
			require.Equal(t, http.StatusUnauthorized, status)
		}
	}
	status, _ := apptest.FetchFrom(http.DefaultClient, x.Instances[0].URL+"/api/v1/forks", spent)
	require.Equal(t, http.StatusOK, status, "the rate window is forgotten")
	other.CaughtUp(next)
	after := l.watch(t, 2*time.Second)
	require.Equal(t, after.requests, after.asked.Of("200"), "%v", &after.asked)

	x.comesBack(old, next, other)
	after = l.watch(t, 2*time.Second)
	require.Equal(t, after.requests, after.asked.Of("200"), "with a standby again: %v", &after.asked)
	l.check(t)
}

// comesBack makes the old primary a standby.
func (x *clustered) comesBack(old, next, other *cluster.Server) {
	if old.Running() {
		old.Kill()
	}
	old.Copy()
	old.Start()
	old.CaughtUp(next)
	x.DB[0] = next
	x.DB[1] = other
	x.DB[2] = old
}

// fails stops the primary and promotes a standby, under requests to the instance that knows all
// servers. Until it succeeds, within ten seconds, it answers only 503. The other instances succeed
// once a frozen primary is switched off (backup.md): until then commits wait for the other standby.
func (x *clustered) fails(t *testing.T, leave func(*cluster.Server)) {
	url := x.Instances[len(x.Instances)-1].URL + x.stats()
	var answers apptest.Counter
	good := func() bool {
		status, _ := apptest.FetchFrom(apptest.KeepingClient(30*time.Second), url, x.nextKey())
		answers.Add(strconv.Itoa(status))
		return status == http.StatusOK
	}
	require.True(t, good())
	old := x.DB[0]
	leave(old)
	next, other := x.furthest()
	next.Promote()
	x.PoolTo(next)
	apptest.Until(t, goodWithin, "no good answer", good)
	x.comesBack(old, next, other)
	for range 50 {
		require.True(t, good(), "it stays good, and does not use the old primary")
	}
	require.Empty(t, answers.Besides("200", "503"))
	x.untilGood(t)
}

// furthest returns both standbys, first the one that has received more: it has every acknowledged
// commit.
func (x *clustered) furthest() (next, other *cluster.Server) {
	const received = `select pg_last_wal_receive_lsn()::text`
	next = x.DB[1]
	other = x.DB[2]
	if cluster.Read[bool](other, `select pg_last_wal_receive_lsn() > $1::pg_lsn`,
		cluster.Read[string](next, received)) {
		next, other = other, next
	}
	return next, other
}

// spentKey is a key that has used its rate.
func (x *clustered) spentKey(t *testing.T) string {
	t.Helper()
	token := x.db.Key(x.fork.OrganisationID).Token()
	for range 120 {
		status, _ := apptest.FetchFrom(http.DefaultClient, x.Instances[0].URL+"/api/v1/forks",
			token)
		require.Equal(t, http.StatusOK, status)
	}
	status, _ := apptest.FetchFrom(http.DefaultClient, x.Instances[1].URL+"/api/v1/forks", token)
	require.Equal(t, http.StatusTooManyRequests, status)
	return token
}

// untilGood waits until every instance answers statistics and exports, itself and by haproxy.
func (x *clustered) untilGood(t *testing.T) {
	t.Helper()
	c := apptest.KeepingClient(2 * time.Second)
	apptest.Until(t, time.Minute, "not every instance answers", func() bool {
		for n := range len(x.Instances) + 1 {
			for _, path := range []string{"/stats", "/exports/csv"} {
				if status, _ := apptest.FetchFrom(c,
					x.entrance(n)+"/api/v1/forks/"+x.fork.ID+path+apptest.SomeDays,
					x.nextKey()); status != http.StatusOK {
					return false
				}
			}
		}
		return true
	})
}
