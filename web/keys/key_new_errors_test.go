package keys_test

import (
	"html"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// keyFormErrors are changes of a valid form, the field that they make invalid, and its message.
var keyFormErrors = map[string]struct {
	set   url.Values
	field string
	says  string
}{
	"no name": {url.Values{"name": {""}}, "name", "Enter a name."},
	"201 characters": {
		url.Values{
			"name": {strings.Repeat("é", 201)},
		}, "name", "The name has 201 characters. Use 200 or fewer.",
	},
	"NUL": {url.Values{"name": {"a\x00b"}}, "name", "contains invalid characters"},
	"a zero-width space": {
		url.Values{"name": {"Power\u200bBI"}}, "name", "contains characters that cannot be seen",
	},
	"a description with a line break": {
		url.Values{"description": {"a\nb"}}, "description", "contains invalid characters",
	},
	"a description that cannot be seen": {
		url.Values{"description": {"a\u200bb"}}, "description", "characters that cannot be seen",
	},
	"no scope":         {url.Values{"scopes": nil}, "scopes", "at least one scope"},
	"an unknown scope": {url.Values{"scopes": {"forks:write"}}, "scopes", "at least one scope"},
	"no expiry":        {url.Values{"expiry": nil}, "expiry", "Choose when the key expires."},
	"no day":           {url.Values{"expiry": {"day"}}, "day", "Enter a date from 2000 to 2199"},
	"today": {
		url.Values{
			"expiry": {"day"}, "day": {"2026-11-21"},
		}, "day", "21 Nov 2026 has already begun. Choose a later date, or add a time.",
	},
	"now": {
		url.Values{
			"expiry": {"day"}, "day": {"2026-11-21"}, "time": {"09:31"},
		}, "time", "21 Nov 2026, 09:31 UTC is in the past. Choose a later time or date.",
	},
	"no such time": {
		url.Values{
			"expiry": {"day"}, "day": {"2026-12-31"}, "time": {"24:00"},
		}, "time", "Enter a time from 00:00 to 23:59",
	},
	"a day with 90 days": {url.Values{"day": {"2026-12-31"}}, "day", "“On a date” is not selected"},
	"a form of yesterday": {
		url.Values{
			"today": {"2026-11-20"},
		}, "expiry", "A new day has begun since you opened this page",
	},
	"no form": {url.Values{"idempotencyKey": nil}, "main", "The form was incomplete."},
}

func TestInvalidKeyFormIsRejected(t *testing.T) {
	t.Parallel()
	now := noon
	w, acme := webtest.StartAt(t, &now)
	b := w.SignedIn(t, acme.Owner)
	for name, c := range keyFormErrors {
		t.Run(name, func(t *testing.T) {
			form := webtest.GoodForm()
			maps.Copy(form, c.set)
			p := b.Post(acme.At("/settings/api-keys/new"), form).Is(t, 400)
			p.Has(t, "<strong>One thing to fix.</strong>", `<li><a href="#`+c.field+`">`)
			require.Contains(t, html.UnescapeString(p.Body), c.says)
			require.Contains(t, p.Body, ` id="`+c.field+`"`, "the link has a target")
			if c.field != "main" {
				require.Regexp(t, `<p class="error" id="`+c.field+`-error">`, p.Body)
				require.Regexp(t, `aria-describedby="[^"]*`+c.field+`-error"`, p.Body)
			}
			if typed := form.Get("name"); strings.IndexFunc(typed, func(r rune) bool {
				return r < ' ' || r == '\ufffd'
			}) < 0 {
				require.Contains(t, p.Body, `value="`+typed+`"`, "what was typed is kept")
			}
		})
	}
	require.Empty(t, w.AllKeys(t, acme))
}
