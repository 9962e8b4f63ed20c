package chaos

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// expiriesHold has keys expire, or their overlap end that were replaced, while clients use them.
func expiriesHold(t *testing.T, m *apptest.Managed, keys int) {
	for n := range keys {
		column := []string{"expires_at", "revoked_at"}[n%2]
		h := new(apptest.Recording)
		key := m.DB.Key(m.ID)
		m.During(func() {
			h.Set("accepted", func() {})
			end := time.Now().Add(100 * time.Millisecond).Truncate(time.Millisecond).Round(0)
			m.DB.Exec(`update api_keys set `+column+` = $2 where id = $1`, key.ID, end)
			known := time.Now()
			// the change comes by itself: nothing else could be waited for
			<-time.After(time.Until(end))
			h.SetAt("refused", end, later(known, end))
		}, m.Call(h, key.Token()))
		m.Legal(t, "a key at its "+column, h)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// plansHold ends the plan, and begins it again.
func plansHold(t *testing.T, m *apptest.Managed, rounds int) {
	h := new(apptest.Recording)
	for n := range 2 * rounds {
		plan := "team"
		value := "refused"
		if n%2 == 1 {
			plan = "pro"
			value = "accepted"
		}
		m.During(func() {
			h.Set(value, func() {
				m.DB.Exec(`update organisations set plan = $2 where id = $1`, m.ID, plan)
			})
		}, m.Call(h, m.DB.Key(m.ID).Token()))
	}
	m.Legal(t, "the plan", h)
}

// manage records whether the session may manage keys: it opens their list or, where a second step
// counts, renames one. forbidden is what 403 counts as.
func manage(
	m *apptest.Managed, h *apptest.Recording, session *apptest.WebClient, key string, renames bool,
	forbidden string,
) func(from string, turn int) {
	return func(from string, turn int) {
		browser := session.Stolen()
		browser.Base = from
		path := "/o/" + m.Slug + "/settings/api-keys"
		form := url.Values(nil)
		if renames || turn%2 == 0 {
			path += "/" + key + "/rename"
			form = url.Values{"name": {"Renamed"}}
		}
		h.Read(from+path, func() string {
			status, _, location := browser.Send(path, form)
			m.Answers.Add("screen " + strconv.Itoa(status))
			switch {
			case status == http.StatusForbidden:
				return forbidden
			case status == http.StatusOK,
				status == http.StatusSeeOther && location == "/o/"+m.Slug+"/settings/api-keys/"+key:
				return "accepted"
			case status == http.StatusSeeOther:
				return "signed out"
			}
			return ""
		})
	}
}

// rolesHold takes a role away, and gives it back.
func rolesHold(t *testing.T, m *apptest.Managed, rounds int) {
	h := new(apptest.Recording)
	p := m.DB.Member(m.ID, "owner")
	key := m.DB.Key(m.ID)
	session := m.SignedIn(t, p)
	for n := range 2 * rounds {
		role := "member"
		value := "refused"
		if n%2 == 1 {
			role = "owner"
			value = "accepted"
		}
		m.During(func() {
			h.Set(value, func() {
				m.DB.Exec(`update memberships set role = $3 where org_id = $1 and user_id = $2`,
					m.ID, p.ID, role)
			})
		}, manage(m, h, session, key.ID, false, "refused"))
	}
	m.Legal(t, "a role", h)
}

// secondStepsHold turns an admin's two-step verification on and off: with it the admin manages
// keys, without it not, and each change ends the sessions that were.
func secondStepsHold(t *testing.T, m *apptest.Managed, rounds int) {
	p := m.DB.Member(m.ID, "admin")
	key := m.DB.Key(m.ID)
	browser := m.SignedIn(t, p)
	h := new(apptest.Recording)
	h.Set("refused", func() {})
	for range rounds {
		var code string
		secret := apptest.OfferedSecret.FindStringSubmatch(browser.Get("/account/two-step"))
		require.NotNil(t, secret)
		on := func() {
			_, body, _ := browser.Post("/account/two-step", "do", "on", "current",
				fixtures.Password,
				"code", apptest.CodeOf(t, strings.ReplaceAll(secret[1], " ", "")))
			code = recoveryCode.FindString(body)
			require.NotEmpty(t, code, "%s", body)
		}
		off := func() {
			status, body, _ := browser.Post("/account/two-step", "do", "off", "current",
				fixtures.Password, "code", code)
			require.Equal(t, http.StatusSeeOther, status, "%s", body)
		}
		h = newSession(t, m, h, browser, key.ID, "accepted", on)
		h = newSession(t, m, h, browser, key.ID, "refused", off)
	}
}

// newSession makes a change that ends the browser's session and begins another, and returns the
// history of that one.
func newSession(
	t *testing.T, m *apptest.Managed, old *apptest.Recording, browser *apptest.WebClient, key,
	value string, change func(),
) *apptest.Recording {
	before := browser.Stolen()
	next := new(apptest.Recording)
	forbidden := "refused"
	// a request that was signed in may find its second step gone: it had to, to be accepted
	if value == "refused" {
		forbidden = "signed out"
	}
	m.During(func() {
		begun := time.Now()
		change()
		ended := time.Now()
		old.SetAt("signed out", begun, ended)
		next.SetAt(value, begun, ended)
	}, manage(m, old, before, key, true, forbidden))
	m.Legal(t, "a session of before two-step verification changed", old)
	return next
}

// modesHold changes the reporting mode while clients read statistics, plays and the dashboard.
func modesHold(t *testing.T, m *apptest.Managed, rounds int) {
	h := new(apptest.Recording)
	owner := m.SignedIn(t, m.Owner)
	fork := m.DB.Fork(fixtures.Fork{OrganisationID: m.ID})
	m.DB.Players(m.ID, 10)
	m.DB.Plays(fork, 200, fork.CreatedAt, time.Hour)
	for n := range 2 * rounds {
		mode := []string{"nominative", "pseudonymous"}[n%2]
		key := m.DB.Key(m.ID)
		m.During(func() {
			h.Set(mode, func() {
				status, body, _ := owner.Send("/o/"+m.Slug+"/settings/organisation/reporting-mode",
					url.Values{"mode": {mode}, "organisation": {m.Slug}})
				require.Equal(t, http.StatusSeeOther, status, "%s", body)
			})
		}, func(from string, turn int) { readMode(m, h, from, turn, owner, fork, key.Token()) })
	}
	m.Legal(t, "the reporting mode", h)
}

// readMode reads one of the reports.
func readMode(
	m *apptest.Managed, h *apptest.Recording, from string, turn int, owner *apptest.WebClient,
	fork fixtures.Fork, token string,
) {
	path := []string{"/stats", "/exports/csv", ""}[turn%3]
	h.Read(from+path, func() string {
		if path != "" {
			status, body := apptest.FetchFrom(m.HTTP,
				from+"/api/v1/forks/"+fork.ID+path+apptest.SomeDays, token)
			m.Answers.Add("report " + strconv.Itoa(status))
			return apptest.ModeOf(status, body)
		}
		browser := owner.Stolen()
		browser.Base = from
		status, body, _ := browser.Send("/o/"+m.Slug+"/reports/"+fork.ID+apptest.SomeDays, nil)
		m.Answers.Add("dashboard " + strconv.Itoa(status))
		return apptest.ModeOf(status, []byte(body))
	})
}
