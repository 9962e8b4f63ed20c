package publicapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
)

// combination is a request with the key of an organisation.
type combination struct {
	endpoint string // list, fork, stats or csv
	fork     string // own, foreign, unknown, malformed or none
	group    string // own, small, foreign, unknown, malformed or none
	scopes   []apikeys.Scope
	state    string // of the key
}

// observed is the answer and its entries in the organisation's log.
type observed struct {
	status     int
	detail     string // details.code
	suppressed string // X-DG-Report-Suppressed
	recorded   []string
}

func refused(status int, detail string, reasons ...audit.Reason) observed {
	s := observed{status: status, detail: detail}
	for _, reason := range reasons {
		s.recorded = append(s.recorded, string(audit.KeyRefused)+" "+string(reason))
	}
	return s
}

// unusable are the states of keys that are refused, with the reasons of their entries.
var unusable = map[string][]audit.Reason{
	"missing":      nil,
	"malformed":    nil,
	"unknown id":   nil,
	"wrong secret": {audit.WrongSecret},
	"revoked":      {audit.Revoked},
	"expired":      {audit.Expired},
	"free":         {audit.BelowPlan},
	"team":         {audit.BelowPlan},
}

// expected follows rules.md, Order of checks, for a request under /api/v1/ with a valid path,
// method and period.
func (c combination) expected() observed {
	if reasons, ok := unusable[c.state]; ok { // 2 and 3
		return refused(401, "ERR_AUTH_REQUIRED", reasons...)
	}
	scope := apikeys.ForksRead
	if c.endpoint == "stats" || c.endpoint == "csv" {
		scope = apikeys.ReportsRead
	}
	switch {
	case !slices.Contains(c.scopes, scope): // 6
		return refused(403, "ERR_ACCESS_DENIED", audit.InsufficientScope)
	case c.fork == "unknown", c.fork == "malformed": // 7
		return refused(404, "ERR_NOT_FOUND")
	case c.fork == "foreign":
		return refused(403, "ERR_ACCESS_DENIED", audit.OtherOrganisation)
	case c.group == "unknown", c.group == "malformed": // 9
		return refused(404, "ERR_NOT_FOUND")
	case c.group == "foreign":
		return refused(404, "ERR_NOT_FOUND", audit.OtherOrganisation)
	}
	s := observed{status: 200} // 10
	if c.endpoint == "csv" {
		s.recorded = []string{string(audit.ExportFinished) + " ", string(audit.ExportStarted) + " "}
		if c.group == "small" {
			s.suppressed = "k-anonymity"
		}
	}
	return s
}

// combinations returns all combinations with the forks and groups of a usable key, and every state
// and set of scopes with the own fork.
func combinations() (all []combination) {
	add := func(state string, scopes []apikeys.Scope, forks, groups []string) {
		all = append(all, combination{"list", "none", "none", scopes, state})
		for _, fork := range forks {
			all = append(all, combination{"fork", fork, "none", scopes, state})
			for _, group := range groups {
				all = append(all, combination{"stats", fork, group, scopes, state},
					combination{"csv", fork, group, scopes, state})
			}
		}
	}
	add("pro", []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
		[]string{"own", "foreign", "unknown", "malformed"},
		[]string{"none", "own", "small", "foreign", "unknown", "malformed"})
	for state := range maps.Keys(unusable) {
		add(state, []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}, []string{"own"},
			[]string{"none"})
	}
	for _, scopes := range [][]apikeys.Scope{{}, {apikeys.ForksRead}, {apikeys.ReportsRead}} {
		add("enterprise", scopes, []string{"own"}, []string{"own"})
	}
	return all
}

// target returns the path and query of a combination. Upper-case ids are the same ids.
func (c combination) target(own, foreign *history) string {
	forks := map[string]string{
		"own":       strings.ToUpper(own.forks[0]),
		"foreign":   strings.ToUpper(foreign.forks[0]),
		"unknown":   "00000000-0000-4000-8000-000000000000",
		"malformed": own.forks[0] + "%00",
	}
	groups := map[string]string{
		"none":      "",
		"own":       "&groupId=" + strings.ToUpper(own.groups[0].id),
		"small":     "&groupId=" + own.groups[1].id,
		"foreign":   "&groupId=" + strings.ToUpper(foreign.groups[0].id),
		"unknown":   "&groupId=00000000-0000-4000-8000-000000000000",
		"malformed": "&groupId=" + own.groups[0].id + "%00",
	}
	const period = "?from=2024-05-01&to=2024-05-31"
	return "/api/v1/forks" + map[string]string{
		"list":  "",
		"fork":  "/" + forks[c.fork],
		"stats": "/" + forks[c.fork] + "/stats" + period + groups[c.group],
		"csv":   "/" + forks[c.fork] + "/exports/csv" + period + groups[c.group],
	}[c.endpoint]
}

// authorization returns the header of a combination.
func (c combination) authorization(token apikeys.Token) string {
	switch c.state {
	case "malformed":
		return "Bearer " + token.String()[:len(token.String())-1]
	case "unknown id":
		return "Bearer " + strings.Replace(token.String(), token.ID, strings.Repeat("z", 22), 1)
	case "wrong secret":
		return "Bearer " + wrongSecret(token)
	}
	return "Bearer " + token.String()
}

// createKey stores a key in the combination's state, and sets the plan of its organisation.
func (c combination) createKey(t *testing.T, w *world, own *history) apikeys.Token {
	t.Helper()
	w.Exec(`update organisations set plan = 'pro' where id = $1`, own.id)
	token := w.key(t, own.id)
	w.Exec(`update api_keys set scopes = $2 where id = $1`, token.ID, c.scopes)
	switch c.state {
	case "revoked":
		w.Exec(`update api_keys set revoked_at = date_trunc('milliseconds', now()) where id = $1`, token.ID)
	case "expired":
		w.Exec(`update api_keys set expires_at = date_trunc('milliseconds', now()) where id = $1`, token.ID)
	case "free", "team", "enterprise":
		w.Exec(`update organisations set plan = $2 where id = $1`, own.id, c.state)
	}
	return token
}

// rules.md, Order of checks: endpoints × forks × groups × scopes × states of a key, for two
// organisations that ask concurrently. Each answer and its entries are those of the rules, and no
// answer contains data of the other organisation.
func TestAccessMatrix(t *testing.T) {
	t.Parallel()
	organisations := []*history{newHistory(1, 6, 5, 4), newHistory(1, 6, 5, 4)}
	// all have played: a group of five is shown, one of four is not
	for i, h := range organisations {
		h.mark = []string{"Quagga", "Okapi"}[i]
		h.mode = []string{"pseudonymous", "nominative"}[i]
		for who := range h.players {
			h.play(who, day("2024-05-05"))
		}
	}
	w := start(t, organisations...)
	w.Exec(`alter table api_keys drop constraint api_keys_scopes_check`) // it refuses keys without scopes
	asked := [2]map[string]outcome{}
	t.Run("at once", func(t *testing.T) {
		for n, own := range organisations {
			t.Run(fmt.Sprint("organisation ", n), func(t *testing.T) {
				t.Parallel()
				asked[n] = w.askAll(t, own, organisations[1-n])
			})
		}
	})
	require.Eventually(t, func() bool {
		return testkit.One[bool](w.World, `select count(*) filter (where action = 'export.started')
			= count(*) filter (where action = 'export.finished') from audit_entries`)
	}, 10*time.Second, 10*time.Millisecond)
	for n, own := range organisations {
		recorded := w.recordedByRequest(t, own.id)
		for id, a := range asked[n] {
			a.got.recorded = recorded[id]
			delete(recorded, id)
			if want := a.expected(); fmt.Sprint(a.got) != fmt.Sprint(want) {
				t.Errorf("organisation %d: %+v\nwant %+v\n got %+v", n, a.combination, want, a.got)
			}
		}
		require.Empty(t, recorded, "entries of the other organisation's requests")
	}
}

// outcome is a combination with its answer.
type outcome struct {
	combination
	got observed
}

// askAll sends the combinations with keys of an organisation. It returns them by request id.
func (w *world) askAll(t *testing.T, own, foreign *history) map[string]outcome {
	t.Helper()
	asked := map[string]outcome{}
	conn := w.wire(t)
	for i, c := range combinations() {
		token := c.createKey(t, w, own)
		id := fmt.Sprintf("%s-%d", own.id, i)
		headers := []string{"X-Request-Id: " + id}
		if c.state != "missing" {
			headers = append(headers, "Authorization: "+c.authorization(token))
		}
		got := conn.ask(line(http.MethodGet, c.target(own, foreign), headers...))
		asked[id] = outcome{c, observe(t, got)}
		for _, word := range []string{foreign.mark, foreign.id, foreign.forks[0], foreign.groups[0].id} {
			require.NotContains(t, got.body+fmt.Sprint(got.Header), word, "%+v", c)
		}
	}
	return asked
}

// observe returns what the test compares of an answer.
func observe(t *testing.T, got answer) observed {
	t.Helper()
	s := observed{
		status: got.StatusCode, suppressed: got.Header.Get("X-DG-Report-Suppressed"),
	}
	if got.StatusCode >= 400 {
		s.detail = got.detail(t, got.body)
	}
	return s
}

// recordedByRequest returns the ordered entries of an organisation's log by request id.
func (w *world) recordedByRequest(t *testing.T, organisationID string) map[string][]string {
	t.Helper()
	rows, err := w.Owner.Pool.Query(t.Context(),
		`select request_id, array_agg(action || ' ' || reason order by action)
		from audit_entries where org_id = $1 and request_id <> '' group by request_id`,
		organisationID)
	require.NoError(t, err)
	defer rows.Close()
	recorded := map[string][]string{}
	for rows.Next() {
		var id string
		var entries []string
		require.NoError(t, rows.Scan(&id, &entries))
		recorded[id] = entries
	}
	require.NoError(t, rows.Err())
	return recorded
}
