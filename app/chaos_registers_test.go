package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// expiriesHold has keys expire, or their overlap end that were replaced, while clients use them.
func (m *managed) expiriesHold(t *testing.T, keys int) {
	for n := range keys {
		column := []string{"expires_at", "revoked_at"}[n%2]
		h, key := new(recording), m.db.Key(m.ID)
		m.during(func() {
			h.set("accepted", func() {})
			end := time.Now().Add(100 * time.Millisecond).Truncate(time.Millisecond).Round(0)
			m.db.Exec(`update api_keys set `+column+` = $2 where id = $1`, key.ID, end)
			known := time.Now()
			<-time.After(time.Until(end)) // the change comes by itself: nothing else could be waited for
			h.setAt("refused", end, later(known, end))
		}, m.call(h, key.Token()))
		m.legal(t, "a key at its "+column, h)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// plansHold ends the plan, and begins it again.
func (m *managed) plansHold(t *testing.T, rounds int) {
	h := new(recording)
	for n := range 2 * rounds {
		plan, value := "team", "refused"
		if n%2 == 1 {
			plan, value = "pro", "accepted"
		}
		m.during(func() {
			h.set(value, func() { m.db.Exec(`update organisations set plan = $2 where id = $1`, m.ID, plan) })
		}, m.call(h, m.db.Key(m.ID).Token()))
	}
	m.legal(t, "the plan", h)
}

// manage records whether the session may manage keys: it opens their list or, where a second step counts, renames one. forbidden
// is what 403 counts as.
func (m *managed) manage(h *recording, session *webClient, key string, renames bool, forbidden string) func(from string, turn int) {
	return func(from string, turn int) {
		browser := session.stolen()
		browser.base = from
		path, form := "/o/"+m.Slug+"/settings/api-keys", url.Values(nil)
		if renames || turn%2 == 0 {
			path, form = path+"/"+key+"/rename", url.Values{"name": {"Renamed"}}
		}
		h.read(from+path, func() string {
			status, _, location := browser.send(path, form)
			m.answers.add("screen " + strconv.Itoa(status))
			switch {
			case status == http.StatusForbidden:
				return forbidden
			case status == http.StatusOK, status == http.StatusSeeOther && location == "/o/"+m.Slug+"/settings/api-keys/"+key:
				return "accepted"
			case status == http.StatusSeeOther:
				return "signed out"
			}
			return ""
		})
	}
}

// rolesHold takes a role away, and gives it back.
func (m *managed) rolesHold(t *testing.T, rounds int) {
	h, p, key := new(recording), m.db.Member(m.ID, "owner"), m.db.Key(m.ID)
	session := m.signedIn(t, p)
	for n := range 2 * rounds {
		role, value := "member", "refused"
		if n%2 == 1 {
			role, value = "owner", "accepted"
		}
		m.during(func() {
			h.set(value, func() {
				m.db.Exec(`update memberships set role = $3 where org_id = $1 and user_id = $2`, m.ID, p.ID, role)
			})
		}, m.manage(h, session, key.ID, false, "refused"))
	}
	m.legal(t, "a role", h)
}

// secondStepsHold turns an admin's two-step verification on and off: with it the admin manages keys, without it not, and each
// change ends the sessions that were.
func (m *managed) secondStepsHold(t *testing.T, rounds int) {
	p, key := m.db.Member(m.ID, "admin"), m.db.Key(m.ID)
	browser := m.signedIn(t, p)
	h := new(recording)
	h.set("refused", func() {})
	for range rounds {
		var code string
		secret := offeredSecret.FindStringSubmatch(browser.get("/account/two-step"))
		require.NotNil(t, secret)
		on := func() {
			_, body, _ := browser.post("/account/two-step", "do", "on", "current", fixtures.Password, "code", codeOf(t, strings.ReplaceAll(secret[1], " ", "")))
			code = recoveryCode.FindString(body)
			require.NotEmpty(t, code, "%s", body)
		}
		off := func() {
			status, body, _ := browser.post("/account/two-step", "do", "off", "current", fixtures.Password, "code", code)
			require.Equal(t, http.StatusSeeOther, status, "%s", body)
		}
		h = m.newSession(t, h, browser, key.ID, "accepted", on)
		h = m.newSession(t, h, browser, key.ID, "refused", off)
	}
}

// newSession makes a change that ends the browser's session and begins another, and returns the history of that one.
func (m *managed) newSession(t *testing.T, old *recording, browser *webClient, key, value string, change func()) *recording {
	before, next := browser.stolen(), new(recording)
	forbidden := "refused"
	if value == "refused" { // a request that was signed in may find its second step gone: it had to, to be accepted
		forbidden = "signed out"
	}
	m.during(func() {
		begun := time.Now()
		change()
		ended := time.Now()
		old.setAt("signed out", begun, ended)
		next.setAt(value, begun, ended)
	}, m.manage(old, before, key, true, forbidden))
	m.legal(t, "a session of before two-step verification changed", old)
	return next
}

// modesHold changes the reporting mode while clients read statistics, plays and the dashboard.
func (m *managed) modesHold(t *testing.T, rounds int) {
	h, owner := new(recording), m.signedIn(t, m.owner)
	fork := m.db.Fork(fixtures.Fork{OrganisationID: m.ID})
	m.db.Players(m.ID, 10)
	m.db.Plays(fork, 200, fork.CreatedAt, time.Hour)
	for n := range 2 * rounds {
		mode := []string{"nominative", "pseudonymous"}[n%2]
		key := m.db.Key(m.ID)
		m.during(func() {
			h.set(mode, func() {
				status, body, _ := owner.send("/o/"+m.Slug+"/settings/organisation/reporting-mode", url.Values{"mode": {mode}, "organisation": {m.Slug}})
				require.Equal(t, http.StatusSeeOther, status, "%s", body)
			})
		}, func(from string, turn int) { m.readMode(h, from, turn, owner, fork, key.Token()) })
	}
	m.legal(t, "the reporting mode", h)
}

// readMode reads one of the reports.
func (m *managed) readMode(h *recording, from string, turn int, owner *webClient, fork fixtures.Fork, token string) {
	path := []string{"/stats", "/exports/csv", ""}[turn%3]
	h.read(from+path, func() string {
		if path != "" {
			status, body := fetchFrom(m.http, from+"/api/v1/forks/"+fork.ID+path+someDays, token)
			m.answers.add("report " + strconv.Itoa(status))
			return modeOf(status, body)
		}
		browser := owner.stolen()
		browser.base = from
		status, body, _ := browser.send("/o/"+m.Slug+"/reports/"+fork.ID+someDays, nil)
		m.answers.add("dashboard " + strconv.Itoa(status))
		return modeOf(status, []byte(body))
	})
}
