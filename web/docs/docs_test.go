package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/limit"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/tb"
	"dg/web/internal/webtest"
)

var (
	contractErrorPattern = regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `[a-z-]+` \\| `(ERR_[A-Z_]+)` \\|")
	pageErrorPattern     = regexp.MustCompile(`<tr role="row" id="([^"]+)"><th role="rowheader" scope="row">(\d{3}) ` +
		`<small class="mono">(ERR_[A-Z_]+)</small></th>` +
		`<td role="cell">(?:<span>)?[^<]+.*?</td><td role="cell" data-label="How to fix it">(?:<span>)?[^<]+`)
	contractCodePattern = regexp.MustCompile(`(?m)^(ERR_[A-Z_]+)$`)
)

// contractTexts returns the texts of the OpenAPI document, one on each line.
func contractTexts(t *testing.T) string {
	source := tb.Must(os.ReadFile("../../modules/publicapi/openapi.json"))(t)
	var texts []string
	for decoder := json.NewDecoder(bytes.NewReader(source)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(texts, "\n")
		}
		require.NoError(t, err)
		if text, ok := token.(string); ok {
			texts = append(texts, text)
		}
	}
}

// /docs/errors lists the contract's errors with cause and fix. Each error has an id to link to.
func TestDocsNameEachErrorOfTheContract(t *testing.T) {
	page := webtest.Start(t).Browser(t).Get("/docs/errors").Is(t, 200)
	var want, got, ids []string
	for _, row := range contractErrorPattern.FindAllStringSubmatch(contractTexts(t), -1) {
		want = append(want, row[1]+" "+row[2])
	}
	for _, row := range pageErrorPattern.FindAllStringSubmatch(page.Body, -1) {
		got = append(got, row[2]+" "+row[3])
		ids = append(ids, row[1])
	}
	require.Greater(t, len(want), 10)
	require.ElementsMatch(t, want, got)
	require.True(t, slices.IsSorted(got), "by status: %s", got)
	for _, c := range contractCodePattern.FindAllString(contractTexts(t), -1) {
		require.Contains(t, ids, c)
	}
}

// The OpenAPI document states the limits that the program enforces. The page on CSV lists the file's columns.
func TestDocsStateLimitsAndColumns(t *testing.T) {
	w := webtest.Start(t)
	body := w.Browser(t).Get("/docs").Body + w.Browser(t).Get("/docs/csv").Body
	document := strings.Join(strings.Fields(contractTexts(t)), " ")
	for _, fact := range []string{
		fmt.Sprintf("at most %d reports at once", reports.MaxReportsOfOrganisation),
		fmt.Sprintf("%d reports running, or the instance %d", reports.MaxReportsOfOrganisation, reports.MaxReports),
		fmt.Sprintf("at most %d exports; an instance runs %d reports, %d large ones and %d exports in all",
			exports.MaxConcurrentOfOrganisation, reports.MaxReports, reports.MaxLargeReports, exports.MaxConcurrent),
		fmt.Sprintf("%d exports of the organisation or %d of the instance",
			exports.MaxConcurrentOfOrganisation, exports.MaxConcurrent),
		fmt.Sprintf("waits for up to %.0f seconds", limit.Wait.Seconds()),
		fmt.Sprintf("Retry in %d seconds", limit.RetryAfter),
	} {
		require.Contains(t, document, fact)
	}
	list := tb.Must(os.ReadFile("docs.json"))(t)
	for _, r := range regexp.MustCompile(`"file": "(.+)",\s+"tables": true`).FindAllSubmatch(list, -1) {
		program := tb.Must(os.ReadFile("recipes/" + string(r[1])))(t)
		require.Contains(t, string(program), "avgScorePercent", "the table of days of %s", r[1])
	}
	header := testkit.Submatch(t, `(?m)^(playId,[A-Za-z,]+)$`, contractTexts(t))
	columns := testkit.Submatches(`<th role="rowheader" scope="row"><span class="mono">(\w+)</span></th>`, body)
	require.Equal(t, header, strings.Join(slices.Concat(columns...), ","))
	require.Contains(t, html.UnescapeString(body), ` --max-redirs 0 `+w.BaseURL+`/api/v1/forks`)
	require.NotContains(t, body, "dg.example.org")
}

// The documentation needs no sign-in and no database.
func TestDocsNeedNoSignIn(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	for _, path := range []string{"/docs", "/docs/figures", "/docs/csv", "/docs/errors", "/docs/recipes",
		"/docs/recipes/python", "/docs/reference", "/docs/reference/getForkStats", "/docs/clients",
		"/docs/changes", "/docs/security", "/docs/search?q=csv", "/docs/privacy", "/docs/privacy/pt"} {
		w.Browser(t).Get(path).Is(t, 200).Has(t, `<a href="/sign-in">Sign in</a>`)
		b.Get(path).Is(t, 200).Has(t, acme.Owner.Name, `<li><a href="/docs" aria-current="true">API docs</a></li>`)
	}
	for _, path := range []string{"/docs/recipes/cobol", "/docs/reference/deleteFork", "/docs/privacy/it"} {
		w.Browser(t).Get(path).Is(t, 404)
	}
	index := w.Browser(t).Get("/docs").Has(t, `<a href="/settings/api-keys">`, `<a href="/docs/security">`)
	for _, path := range testkit.Submatches(`href="(/docs/[^"#]+)`, index.Body) {
		page := w.Browser(t).Get(path[0]).Is(t, 200)
		for _, section := range testkit.Submatches(`href="#([^"]+)"`, page.Body) {
			page.Has(t, `id="`+section[0]+`"`)
		}
	}
	b.Get("/docs").Has(t, `href="`+acme.Path("/settings/api-keys")+`">Manage keys</a>`)
	w.Pools.Close()
	b.Get("/docs/errors").Is(t, 200) // the page explains ERR_UNAVAILABLE
	w.Browser(t).Get("/docs/search?q=503").Is(t, 200)
}

// /docs/privacy has as many facts in each language, and states the size from which groups have figures.
func TestPrivacyPageHasTheSameFactsInEachLanguage(t *testing.T) {
	w, _ := webtest.StartAcme(t)
	rows := 0
	for language, path := range map[string]string{"en": "", "de": "/de", "fr": "/fr", "es": "/es", "pt": "/pt"} {
		body := w.Browser(t).Get("/docs/privacy"+path).Is(t, 200).
			Has(t, `<div class="head" lang="`+language+`">`).Lacks(t, "{threshold}", "<dd></dd>").Body
		require.Regexp(t, `[^0-9]`+strconv.Itoa(reports.MinGroup)+`[^0-9]`, body)
		count := strings.Count(body, "<dt>")
		require.True(t, count > 0 && (rows == 0 || rows == count), "%s has %d rows, not %d", language, count, rows)
		rows = count
	}
}

// Programs are shown in colour, with the service's address. scripts/check.sh checks that they are those in recipes/.
// The PowerShell program has no typographic quote or dash, which would end a string. Commands have no comment, because
// zsh takes it for arguments, and no variable, because its syntax differs and a list of processes shows its value.
func TestProgramsHaveColoursAndTheAddress(t *testing.T) {
	b := webtest.Start(t).Browser(t)
	pages := testkit.Submatches(`href="(/docs/recipes/[a-z-]+)"`, b.Get("/docs/recipes").Body)
	pages = append(pages, []string{"/docs"}, []string{"/docs/clients"})
	programs := 0
	for _, page := range pages {
		body := b.Get(page[0]).Body
		for _, command := range testkit.Submatches(`(?s)<code id="(?:run|install|set|[a-z]+-commands)">(.*?)</code>`, body) {
			require.NotRegexp(t, `\$[A-Z_]+|^[A-Z_]+=|(^|\s|>)# `, command[0], page)
		}
		require.True(t, !strings.Contains(body, "curl -q -K") || strings.Count(body, "curl 7.75") == 2, page)
		for _, code := range testkit.Submatches(`(?s)<pre[^>]*><code id="[^"]*">(.*?)</code>`, body) {
			require.NotRegexp(t, `dg\.example\.org|\$\{__(from|to):`, code[0], page) // Grafana's use the browser's zone
			programs += min(1, strings.Count(code[0], "</span>"))
		}
	}
	require.Greater(t, programs, 25)
	require.NotRegexp(t, `[\x{2013}-\x{201e}]`, string(tb.Must(os.ReadFile("recipes/dg.ps1"))(t)))
}

// Examples use the organisation's own fork, group and days. Other readers get those of the sample responses.
func TestDocsExamplesAreTheReadersOwn(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	globex := w.AddOrganisation("globex")
	fork := w.AddFork(acme)
	w.AddFork(globex)
	group := w.DB.AddGroup(acme.ID, w.DB.AddPlayers(acme.ID, 5)...)
	sampleID := "60772820-1226-4be5-b50f-c2adbe3dca64"
	require.Contains(t, contractTexts(t), sampleID, "the id in the OpenAPI document")
	for _, path := range []string{"/docs", "/docs/recipes/curl", "/docs/recipes/python",
		"/docs/reference/getForkStats"} {
		w.Browser(t).Get(path).Has(t, sampleID)
		w.SignIn(t, acme.Member).Get(path).Lacks(t, fork.ID)
		own := w.SignIn(t, acme.Owner).Get(path).Has(t, fork.ID)
		require.NotRegexp(t, `(forks/|such as (&#34;)?)`+sampleID, own.Body)
	}
	w.SignIn(t, acme.Owner).Get("/docs/figures").Has(t, "groupId="+group)
	w.Browser(t).Get("/docs").Has(t, "from=2026-03-01")
	w.SignIn(t, acme.Owner).Get("/docs").Lacks(t, "from=2026-03-01")
	w.DB.Exec(`update forks set created_at = '2019-02-03Z' where id = $1`, fork.ID)
	for _, copying := range []string{"nightly-sync", "dlt"} { // a copy begins with the oldest fork
		w.SignIn(t, acme.Owner).Get("/docs/recipes/"+copying).Has(t, "2019-02-03")
	}
	w.Browser(t).Get("/docs/recipes/airbyte").Has(t, "first_year").Lacks(t, "default: 20")
	w.DB.Join(globex.ID, acme.Owner.ID, "owner")
	w.SignIn(t, acme.Owner).Get("/docs").Has(t, sampleID).Lacks(t, "Sign in as")
}

// The reference shows each operation of the OpenAPI document with its parameters, fields, answers and examples.
func TestReferenceShowsTheDocument(t *testing.T) {
	w := webtest.Start(t)
	index := w.Browser(t).Get("/docs/reference")
	for operation, names := range map[string][]string{
		"listForks": {`<span class="sr">items[].</span>deployedReleaseNumber`, "integer or null", "If-None-Match", "ETag"},
		"getFork":   {"/api/v1/forks/{forkId}", "deployedReleaseNumber", "forkId"},
		"getForkStats": {`players[].</span>bestScorePercent`, `skills[].</span>skillId`, "data.reading.charts", "groupId",
			"date-time", "#ERR_VALIDATION"},
		"exportForkPlaysCsv": {"text/csv", "X-DG-Report-Suppressed", "playId,forkId",
			"<td><code>scorePercent</code></td>"},
	} {
		index.Has(t, `href="/docs/reference/`+operation+`"`)
		w.Browser(t).Get("/docs/reference/"+operation).Has(t, names...).Lacks(t, "$ref")
	}
}

// A search finds readers' terms, and its links lead to the section. Without a result it suggests the recipes.
func TestSearchLeadsToThePage(t *testing.T) {
	w, _, owner := webtest.StartAsOwner(t)
	first := regexp.MustCompile(`<dl class="results">\s*<dt><a href="([^"]*)"`)
	for query, want := range map[string]string{
		"pandas": "/docs/recipes/python", "Power+BI": "/docs/recipes/power-bi#steps",
		"excel": "/docs/recipes/power-bi#steps", "429": "/docs/errors#ERR_RATE_LIMITED",
		"pseudonym+erased": "/docs/figures#privacy", "playerKey": "/docs/figures#privacy", "PHP": "/docs/csv#broken",
		"formula+spreadsheet": "/docs/csv#columns", "R": "/docs/recipes/r", "rate": "/docs/errors#ERR_RATE_LIMITED",
	} {
		page := w.Browser(t).Get("/docs/search?q="+query).Is(t, 200)
		require.Equal(t, want, first.FindStringSubmatch(page.Body)[1], query)
	}
	w.Browser(t).Get("/docs/search?q=cobol").Is(t, 200).
		Has(t, "No page has all of these words", `<a href="/docs/recipes">recipes</a>`)
	w.Browser(t).Get("/docs/search?q=administrateurs").Lacks(t, `"/docs/privacy/fr`)
	owner.Get("/docs/search?q=429").Has(t, `href="/docs/errors#ERR_RATE_LIMITED"`)
	w.Browser(t).Get("/docs/search?q="+strings.Repeat("%ff%3Cb%3E", 400)).Is(t, 200).Lacks(t, "<b>")
}

// Changes are listed newest first. The OpenAPI document has the deprecation headers that the page shows.
func TestChangesAreDated(t *testing.T) {
	page := webtest.Start(t).Browser(t).Get("/docs/changes").Body
	days := slices.Concat(testkit.Submatches(`<time datetime="(\d{4}-\d{2}-\d{2})">`, page)...)
	require.NotEmpty(t, days)
	slices.Reverse(days)
	require.True(t, slices.IsSorted(days), "newest first: %s", days)
	document := strings.Join(strings.Fields(contractTexts(t)), " ")
	shown := testkit.Submatch(t, `(?s)<code>(Deprecation: .*?)</code></pre>`, page)
	for line := range strings.Lines(html.UnescapeString(shown)) {
		require.Contains(t, document, strings.TrimSpace(line))
	}
}

// The sidebar stays and marks the section. A query shows results. Enter opens the first, Escape restores the page.
func TestDocsAreSearchedInABrowser(t *testing.T) {
	w := webtest.Start(t)
	p := browsertest.New(t)
	p.Open(w.BaseURL + "/docs/errors")
	p.Emulate(1280, browsertest.Light)
	require.Equal(t, "location", p.Attr(`.sidebar a[href="#errors"]`, "aria-current"))
	for _, section := range []string{"limits", "http"} {
		p.ClickAndWaitFor(`.sidebar a[href="#`+section+`"]`, `.sidebar a[href="#`+section+`"][aria-current]`)
		require.Equal(t, 1, p.Count(".sidebar a[aria-current=location]"))
		require.Positive(t, browsertest.Eval[float64](p,
			`document.querySelector('.sidebar').getBoundingClientRect().top`), "it is in sight")
	}

	p.Fill("#search", "pandas")
	p.WaitFor(`.results a[href="/docs/recipes/python"]`)
	require.Zero(t, p.Count(".sidebar [aria-current]"), "the page is not shown")
	p.Press(kb.Escape)
	p.WaitFor("#error-table")
	p.WaitFor(`.sidebar a[href="/docs/errors"][aria-current]`)
	p.Fill("#search", "429")
	p.ClickAndWaitFor(`.results a[href="/docs/errors#ERR_RATE_LIMITED"]`, "#ERR_RATE_LIMITED:target")
	p.Fill("#search", "power bi")
	p.Press(kb.Enter)
	p.WaitFor("#recipe")
	require.Equal(t, "/docs/recipes/power-bi", p.Path())
}
