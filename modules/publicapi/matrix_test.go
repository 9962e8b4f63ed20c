package publicapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

type access struct {
	target string
	scope  apikeys.Scope
	status int
	reason audit.Reason // of the refusal in the organisation's log; "": none
}

// accesses are endpoints × forks × groups × scopes. Upper-case ids are the same ids.
func accesses(own, foreign *history) []access {
	const period = "?from=2024-05-01&to=2024-05-31"
	all := []access{
		{"", apikeys.ForksRead, 200, ""},
		{"", apikeys.ReportsRead, 403, audit.InsufficientScope},
	}
	for tail, scope := range map[string]apikeys.Scope{
		"": apikeys.ForksRead, "/stats" + period: apikeys.ReportsRead,
		"/exports/csv" + period: apikeys.ReportsRead,
	} {
		ownTarget := "/" + strings.ToUpper(own.forks[0]) + tail
		all = append(all,
			access{ownTarget, scope, 200, ""},
			access{"/" + strings.ToUpper(foreign.forks[0]) + tail, scope, 403, audit.OtherOrganisation},
			access{"/" + unknownID + tail, scope, 404, ""},
			access{"/" + own.forks[0] + "%00" + tail, scope, 404, ""},
		)
		if scope == apikeys.ForksRead {
			all = append(all, access{ownTarget, apikeys.ReportsRead, 403, audit.InsufficientScope})
			continue
		}
		ownTarget += "&groupId="
		all = append(all,
			access{ownTarget + own.groups[0].id, apikeys.ForksRead, 403, audit.InsufficientScope},
			access{ownTarget + strings.ToUpper(own.groups[0].id), scope, 200, ""},
			access{ownTarget + own.groups[1].id, scope, 200, ""},
			access{ownTarget + strings.ToUpper(foreign.groups[0].id), scope, 404, audit.OtherOrganisation},
			access{ownTarget + unknownID, scope, 404, ""},
			access{ownTarget + own.groups[0].id + "%00", scope, 404, ""},
		)
	}
	return all
}

// rules.md, Order of checks: for two organisations that ask concurrently, each answer and its entry
// are those of the rules, and no answer contains data of the other organisation.
func TestAccessMatrix(t *testing.T) {
	t.Parallel()
	w := start(t)
	var organisations []*history
	for _, mode := range []string{"pseudonymous", "nominative"} {
		h := w.newHistory(mode, 1, 6, 5, 4) // a group of five is shown, one of four is not
		organisations = append(organisations, h)
		for who := range h.players {
			h.play(who, day("2024-05-05"))
		}
	}
	for n, own := range organisations {
		t.Run(fmt.Sprint("organisation ", n), func(t *testing.T) {
			t.Parallel()
			w.requireAccess(t, own, organisations[1-n])
		})
	}
}

func (w *world) requireAccess(t *testing.T, own, foreign *history) {
	refused := map[string]audit.Reason{}
	for i, a := range accesses(own, foreign) {
		id := fmt.Sprintf("%s-%d", own.id, i)
		key := w.Key(own.id, string(a.scope))
		got := w.get(t, "/api/v1/forks"+a.target, key, "X-Request-Id", id).Is(t, a.status)
		require.Equal(t,
			a.status == http.StatusOK && strings.HasSuffix(a.target, "&groupId="+own.groups[1].id),
			a.status == http.StatusOK && strings.Contains(got.Body, `"suppressed":true`) ||
				got.Header.Get("X-DG-Report-Suppressed") != "", a.target)
		for _, word := range []string{foreign.id, foreign.forks[0], foreign.groups[0].id} {
			require.NotContains(t, got.Body+fmt.Sprint(got.Header), word, "%+v", a)
		}
		if a.reason != "" {
			refused[id] = a.reason
		}
	}
	recorded := map[string]audit.Reason{}
	for _, e := range w.entries(t, own.id) {
		if e.Action == audit.KeyRefused {
			recorded[e.Request.ID] = e.Reason
		}
		if e.Reason == audit.OtherOrganisation {
			require.Contains(t, []audit.Target{{Kind: "fork", ID: foreign.forks[0]},
				{Kind: "group", ID: foreign.groups[0].id}}, e.Target)
		}
	}
	require.Equal(t, refused, recorded)
}
