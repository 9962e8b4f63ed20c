package cluster

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/modules/reports/sealer"
	"dg/platform/authz"
	"dg/platform/testkit/fixtures"
)

// watched is a value that reports show: what one of their bodies says of it, or "".
type watched struct {
	*apptest.Recording
	of func(status int, body []byte) string
}

// see asks every instance for the statistics, and one for the plays and the dashboard, all at once.
func (x *clustered) see(
	t *testing.T, w watched, browser *apptest.WebClient, round int, answers *apptest.Counter,
) {
	t.Helper()
	fork := "/api/v1/forks/" + x.fork.ID
	var all sync.WaitGroup
	look := func(from string, get func() (int, []byte)) {
		all.Go(func() {
			w.Read(from, func() string {
				status, body := get()
				answers.Add(fmt.Sprint(status))
				return w.of(status, body)
			})
		})
	}
	token := x.nextKey()
	for _, i := range x.Instances {
		look(i.Name+" statistics", func() (int, []byte) {
			return apptest.FetchFrom(http.DefaultClient, i.URL+fork+"/stats"+apptest.SomeDays,
				token)
		})
	}
	i := x.Instances[round%len(x.Instances)]
	look(i.Name+" CSV", func() (int, []byte) {
		return apptest.FetchFrom(http.DefaultClient, i.URL+fork+"/exports/csv"+apptest.SomeDays,
			token)
	})
	look("dashboard", func() (int, []byte) {
		status, body, _ := browser.Send("/o/"+x.slug+"/reports/"+x.fork.ID+apptest.SomeDays, nil)
		return status, []byte(body)
	})
	all.Wait()
}

// browser is the owner's, signed in by haproxy.
func (x *clustered) browser(t *testing.T) *apptest.WebClient {
	t.Helper()
	return apptest.NewWebClient(t, x.ProxyURL()).
		SignIn(demo.Account{Email: x.owner.Email, Password: fixtures.Password})
}

// pausing pauses the replay of one standby or both in every second round, and returns how it goes
// on.
func (x *clustered) pausing(round int) (resume func()) {
	standbys := x.DB[1:]
	if round%2 == 1 {
		standbys = nil
	} else if round%6 != 0 {
		standbys = standbys[round/2%2 : round/2%2+1]
	}
	for _, s := range standbys {
		s.Pause()
	}
	return func() {
		for _, s := range standbys {
			s.Resume()
		}
	}
}

// After a change of the reporting mode was answered, no report that begins shows the old one,
// replicas paused or not.
func (x *clustered) reportingModeHolds(t *testing.T) {
	const rounds = 100
	w := watched{&apptest.Recording{Replicas: true}, apptest.ModeOf}
	var answers apptest.Counter
	owner := x.browser(t)
	reader := x.browser(t)
	begun := time.Now()
	for round := range rounds {
		resume := x.pausing(round)
		for _, mode := range []string{"nominative", "pseudonymous"} {
			w.Set(mode, func() {
				status, body, _ := owner.Send("/o/"+x.slug+"/settings/organisation/reporting-mode",
					url.Values{"mode": {mode}, "organisation": {x.slug}})
				require.Equal(t, http.StatusSeeOther, status, "%s", body)
			})
			x.see(t, w, reader, round, &answers)
		}
		resume()
	}
	verdict(t, "changes of the reporting mode", begun, &answers, w.Recording)
	require.Equal(t, len(w.Readings), answers.Of("200"))
}

// verdict logs what was seen of the values, and fails if any reading was stale or an answer was
// 500.
func verdict(
	t *testing.T, what string, begun time.Time, answers *apptest.Counter, seen ...*apptest.Recording,
) {
	t.Helper()
	var stale []string
	changes := 0
	readings := 0
	for _, r := range seen {
		stale = append(stale, r.Faults()...)
		changes += len(r.Changes)
		readings += len(r.Readings)
	}
	t.Logf("%d %s, %d readings in %s: %d stale; answers %v", changes, what, readings,
		time.Since(begun).Round(time.Second), len(stale), answers)
	require.Empty(t, stale[:min(5, len(stale))])
	require.NotZero(t, readings)
	require.Zero(t, answers.Of("500"))
}

// An erased player is in no report that begins after the erasure.
func (x *clustered) erasedPlayersAreGone(t *testing.T) {
	policy, err := authz.New()
	require.NoError(t, err)
	orgs := org.New(x.db.Owner, audit.New(x.db.Owner), policy)
	var answers apptest.Counter
	begun := time.Now()
	reader := x.browser(t)
	var seen []*apptest.Recording
	for round, player := range x.players[len(x.players)-20:] {
		pattern := regexp.MustCompile(`\b` + player.Label + `\b`)
		w := watched{&apptest.Recording{Replicas: true}, func(status int, body []byte) string {
			switch {
			case status != http.StatusOK:
				return ""
			case pattern.Match(body):
				return "there"
			case body[0] == '<': // a page lists some of the players
				return ""
			}
			return "gone"
		}}
		w.Set("there", func() {})
		x.see(t, w, reader, round, &answers)
		resume := x.pausing(round)
		w.Set("gone", func() {
			_, err := orgs.Erase(t.Context(), player.ID, sealer.DropDirty, audit.Request{})
			require.NoError(t, err)
		})
		x.see(t, w, reader, round, &answers)
		resume()
		seen = append(seen, w.Recording)
	}
	verdict(t, "players there and erased", begun, &answers, seen...)
}
