package cluster

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit/fixtures"
)

// browser is the owner's, signed in by haproxy.
func (x *clustered) browser(t *testing.T) *apptest.WebClient {
	t.Helper()
	return apptest.NewWebClient(t, x.ProxyURL()).
		SignIn(demo.Account{Email: x.owner.Email, Password: fixtures.Password})
}

// pausing pauses the replay of one standby or both in every second round. resume ends the pause.
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

// rules.md, Keys: after a change of the reporting mode was answered, no report that begins shows
// the old one, replicas paused or not: statistics of every instance, plays and the dashboard of
// one.
func (x *clustered) reportingModeHolds(t *testing.T) {
	h := &apptest.Recording{Replicas: true}
	var answers apptest.Counter
	owner := x.browser(t)
	reader := x.browser(t)
	for round := range 100 {
		resume := x.pausing(round)
		for _, mode := range []string{"nominative", "pseudonymous"} {
			h.Set(mode, func() {
				status, body, _ := owner.Send("/o/"+x.slug+"/settings/organisation/reporting-mode",
					url.Values{"mode": {mode}, "organisation": {x.slug}})
				require.Equal(t, http.StatusSeeOther, status, "%s", body)
			})
			x.see(h, reader, round, &answers)
		}
		resume()
	}
	stale := h.Faults()
	require.Empty(t, stale[:min(5, len(stale))], "of %d readings", len(h.Readings))
	require.Equal(t, len(h.Readings), answers.Of("200"), "%v", &answers)
}

// see requests reports concurrently and records the mode that they show.
func (x *clustered) see(
	h *apptest.Recording, browser *apptest.WebClient, round int, answers *apptest.Counter,
) {
	fork := "/api/v1/forks/" + x.fork.ID
	token := x.nextKey()
	apptest.Concurrently(len(x.Instances)+2, func(n int) {
		url := x.entrance(round) + fork + "/exports/csv" + apptest.SomeDays
		if n < len(x.Instances) {
			url = x.Instances[n].URL + fork + "/stats" + apptest.SomeDays
		}
		h.Read(url, func() string {
			var status int
			var body []byte
			if n > len(x.Instances) {
				var page string
				status, page, _ = browser.Send("/o/"+x.slug+"/reports/"+x.fork.ID+apptest.SomeDays,
					nil)
				body = []byte(page)
			} else {
				status, body = apptest.FetchFrom(http.DefaultClient, url, token)
			}
			answers.Add(strconv.Itoa(status))
			return apptest.ModeOf(status, body)
		})
	})
}
