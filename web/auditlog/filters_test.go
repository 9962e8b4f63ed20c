package auditlog_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// An unknown filter, and a value that is not offered, are refused by name, on the screen and for the
// file: ignored, they would show everything.
func TestInvalidAuditFiltersAreRefused(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	foreign := w.NewKey(t, w.Organisation("other"), "Theirs", apikeys.ReportsRead)
	for query, label := range map[string]string{
		"person=nobody":       "Actor",
		"action=api_key.seen": "Action",
		"action=export.started&action=export.started":   "Action",
		"key=" + foreign.ID:                             "Key",
		"key=%ff":                                       "Key",
		"from=2026-02-30":                               "From",
		"from=" + strings.Repeat("9", 3_500):            "From",
		"from=2026-03-01&from=2026-03-02":               "From",
		"to=" + url.QueryEscape(`"><script>alert(1)//`): "To",
	} {
		for _, path := range []string{"/settings/audit-log?%s", "/settings/audit-log.csv?%s"} {
			b.Get(acme.At(path, query)).Is(t, 400).
				Has(t, "The filter “"+label+"” has an unknown value").Lacks(t, "<script>alert")
		}
	}
	for _, path := range []string{"/settings/audit-log?From=1", "/settings/audit-log.csv?forks=x"} {
		b.Get(acme.At("%s", path)).Is(t, 400).Has(t, "is unknown. Use action, person, ")
	}
	b.Get(acme.At("/settings/audit-log?from=2026-03-02&to=2026-03-01")).Is(t, 200).
		Has(t, "No matching entries", "<dt>From</dt><dd><bdi>2 Mar 2026", "<dt>To</dt><dd><bdi>1 Mar 2026")
}

// What is offered is sorted by name, and keys of one name are told apart by their ids.
func TestAuditFiltersOfferNamesInTheirOrder(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	for _, name := range []string{"warehouse", "BI", "BI", "Ärger"} {
		w.NewKey(t, acme, name, apikeys.ReportsRead)
	}
	for _, name := range []string{"zoe", "Ann"} {
		w.Append(t, acme, audit.Entry{
			Actor:  audit.Actor{Kind: audit.Person, ID: uuid.NewString(), Name: name},
			Action: audit.PasswordChanged,
		})
	}
	body := b.Get(acme.At("/settings/audit-log")).Body
	for name, want := range map[string]string{
		"person": "Any Ann " + acme.Owner.Name + " zoe",
		"key":    `Any BI …\w{6} BI …\w{6} warehouse Ärger`,
	} {
		_, from, _ := strings.Cut(body, `<select id="`+name+`"`)
		options, _, _ := strings.Cut(from, "</select>")
		require.Regexp(t, "^"+want+"$", testkit.TextOf(options))
	}
}
