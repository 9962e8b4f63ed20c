package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/cluster"
)

// goodWithin is how soon after a promotion every instance answers well.
const goodWithin = 10 * time.Second

// The primary is killed and a standby promoted: no answer is wrong, every instance answers within
// ten seconds, what was revoked stays revoked, and the rate window is forgotten, as is decided.
func (x *clustered) failoverOfThePrimary(t *testing.T) {
	l := x.startLoad(t)
	browser := x.browser(t)
	var revoked []string
	for range 20 {
		token := x.db.Key(x.fork.OrganisationID).Token()
		apptest.RevokeKey(t, browser, x.slug, token)
		revoked = append(revoked, token)
	}
	spent := x.spentKey(t)
	l.watch(t, 2*time.Second, true)

	killed := time.Now()
	x.DB[0].Kill()
	next, other := x.furthest()
	next.Promote()
	promoted := time.Now()
	x.PoolTo(next)
	x.untilGood(t)
	good := time.Since(promoted)
	d := l.between(killed, time.Now())
	t.Logf("primary killed, %s promoted after %s: good answers %s after the promotion; meanwhile %v",
		next.Name,
		promoted.Sub(killed).Round(time.Millisecond), good.Round(10*time.Millisecond), d)
	require.Less(t, good, goodWithin)
	for _, token := range revoked {
		for _, i := range x.Instances {
			status, _ := apptest.FetchFrom(http.DefaultClient, i.URL+"/api/v1/forks", token)
			require.Equal(t, http.StatusUnauthorized, status)
		}
	}
	status, _ := apptest.FetchFrom(http.DefaultClient, x.Instances[0].URL+"/api/v1/forks", spent)
	require.Equal(t, http.StatusOK, status, "the rate window is forgotten")
	other.CaughtUp(next)
	t.Logf("%s follows %s after the promotion", other.Name,
		time.Since(promoted).Round(10*time.Millisecond))
	after := l.watch(t, 2*time.Second, true)
	t.Logf("then %v", after)
	require.Equal(t, after.requests, after.asked.Of("200"))

	x.DB[0].Copy()
	x.DB[0].Start()
	x.DB[0].CaughtUp(next)
	after = l.watch(t, 2*time.Second, true)
	t.Logf("with %s back as a standby %v", x.DB[0].Name, after)
	require.Equal(t, after.requests, after.asked.Of("200"))
	l.verdict(t)
	x.DB[2] = x.DB[0]
	x.DB[0] = next
	x.DB[1] = other
}

// furthest are the standbys, first the one that has received the most: it has every commit that was
// answered.
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

// Behind haproxy an instance that is told to stop costs no request, and one that is killed costs
// those that it was answering.
func (x *clustered) instancesStop(t *testing.T) {
	const clients = 20
	x.moreKeys(400)
	for _, how := range []string{"stopped", "killed"} {
		i := x.Instances[1]
		var answers apptest.Counter
		var begun sync.WaitGroup
		end := make(chan struct{})
		for range clients {
			begun.Go(func() {
				c := apptest.KeepingClient(15 * time.Second)
				for {
					status, _ := apptest.FetchFrom(c,
						x.ProxyURL()+"/api/v1/forks/"+x.fork.ID+"/stats"+apptest.SomeDays,
						x.nextKey())
					answers.Add(fmt.Sprint(status))
					select {
					case <-end:
						return
					case <-time.After(loadPause):
					}
				}
			})
		}
		asked := func(n int) func() bool { return func() bool { return answers.Of("200") > n } }
		apptest.Until(t, time.Minute, "no answers", asked(200))
		if how == "killed" {
			i.Kill()
		} else {
			i.Stop(syscall.SIGTERM)
		}
		apptest.Until(t, time.Minute, "no answers", asked(answers.Of("200")+400))
		x.Start(i)
		apptest.Until(t, time.Minute, "no answers", asked(answers.Of("200")+200))
		close(end)
		begun.Wait()
		t.Logf("%s %s under %d clients of haproxy: answers %v", i.Name, how, clients, &answers)
		if how == "stopped" {
			require.Equal(t, fmt.Sprintf("map[200:%d]", answers.Of("200")),
				strings.TrimSpace(answers.String()))
		}
		require.Zero(t, answers.Of("503")+answers.Of("500"))
		x.waitReady(t)
	}
}
