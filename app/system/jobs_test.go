package system

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit/browsertest"
)

// job is somebody's task in a browser, counted.
type job struct {
	*testing.T
	*browsertest.Page
	d                            *apptest.Child
	clicks, fields, keys, loaded int
	document                     float64 // the current one: the instant of its load
	began                        time.Time
}

// Jobs of a week, driven in a browser from where the person is to where the job is done: DG_JOBS=1
// go test ./app -run TestJobs -v prints for each its clicks, fields, pages, the machine's seconds,
// and the seconds of somebody practised by the keystroke-level model (Card, Moran and Newell): 1.3
// s a click, 2.15 s and 0.28 s a character a field, 1.35 s a page.
func TestJobs(t *testing.T) {
	if os.Getenv("DG_JOBS") != "1" {
		t.Skip("SKIPPED: it measures, and DG_JOBS=1 runs it")
	}
	dir := apptest.NewFolder(t)
	d := apptest.ServeOn(t, dir, "--demo")
	db := apptest.OpenDoor(t, dir)
	exportedLastWeek(t, d, db)
	maren := apptest.DemoAccount(t, "maren@harbour.example.com")
	claire := apptest.DemoAccount(t, "claire@harbour.example.com")
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	begin(t, d, maren).run("An owner makes, tests and revokes a key", ownerKey)
	codes := begin(t, d, claire).enrolAndMakeKey()
	begin(t, d, maren).run("An auditor finds who exported what last week", findExports)
	begin(t, d, tomas).
		run("A manager compares two quarters of a group, rows to Excel", compareQuarters)
	lostPhone(t, d, claire, codes)
}

// begin is a job of somebody who is signed in and looks at the reports.
func begin(t *testing.T, d *apptest.Child, a demo.Account) *job {
	t.Helper()
	p := browsertest.New(t)
	signIn(t, p, d, a, "/reports")
	j := &job{T: t, Page: p, d: d}
	j.start()
	return j
}

func (j *job) start() {
	j.Eval(`performance.timeOrigin`, &j.document)
	j.began = time.Now()
}

func (j *job) run(name string, steps func(*job)) {
	steps(j)
	j.done(name)
}

func (j *job) done(name string) {
	practised := 1.3*float64(j.clicks) + 2.15*float64(j.fields) + 0.28*float64(j.keys) +
		1.35*float64(j.loaded)
	j.Logf("JOB | %s | %d clicks | %d fields | %d pages | %.1f s machine | %.0f s person", name,
		j.clicks, j.fields, j.loaded,
		time.Since(j.began).Seconds(), practised)
}

// click clicks what is there of the alternatives.
func (j *job) click(alternatives ...string) {
	j.Helper()
	j.Click(j.there(alternatives...))
	j.clicks++
	j.look()
}

// there waits for one of the alternatives.
func (j *job) there(alternatives ...string) (selector string) {
	j.Helper()
	apptest.Until(j.T, time.Minute, fmt.Sprintf("none of %q is on %s", alternatives, j.Path()),
		func() bool {
			for _, selector = range alternatives {
				if j.Has(selector) {
					return true
				}
			}
			return false
		})
	return selector
}

// copyBy clicks a button that copies, and waits until it has.
func (j *job) copyBy(button string) {
	j.Helper()
	copied := j.Count(`button:text("Copied")`)
	j.click(button)
	apptest.Until(j.T, time.Minute, "nothing is copied", func() bool {
		return j.Count(`button:text("Copied")`) > copied
	})
}

func (j *job) fill(selector, text string) {
	j.Helper()
	j.Fill(selector, text)
	j.fields++
	j.keys += len(text)
}

// choose is fill for what is chosen from a list: the field, and the option.
func (j *job) choose(selector, value string) {
	j.Helper()
	j.Fill(selector, value)
	j.clicks += 2
	j.look()
}

// look counts a page that was loaded.
func (j *job) look() {
	var document float64
	j.Eval(`performance.timeOrigin`, &document)
	if document != j.document {
		j.loaded++
		j.document = document
	}
}

// makeKey fills the form of a new key and takes the key.
func (j *job) makeKey() {
	j.fill("#name", "Power BI")
	j.click(`label[for="sf"]`)
	j.click(`label[for="sr"]`)
	j.click(`main button.primary`)
	j.WaitFor("#secret")
	j.copyBy(`button:text("Copy key")`)
}

func (j *job) openKeys() {
	j.click(`.top nav a:text("Settings")`)
	if !j.Has(`h1:text("API keys")`) {
		j.click(`.sidebar a:text("API keys")`)
	}
}

var keyInCommand = regexp.MustCompile(`dg_live_\w+`)

func ownerKey(j *job) {
	j.openKeys()
	j.click(`a:text("Create key")`)
	j.makeKey()
	j.copyBy(`button:text("Copy command")`)
	key := keyInCommand.FindString(j.Text("#curl"))
	require.Equal(j.T, http.StatusOK, callWith(j.T, j.d, "/api/v1/forks", key))
	j.click(`a:text("Done")`)
	j.click("table.keys tbody tr:first-child a.revoke")
	j.click("dialog[open] button.danger")
	j.WaitFor(".note")
	require.Equal(j.T, http.StatusUnauthorized, callWith(j.T, j.d, "/api/v1/forks", key))
}

// enrolAndMakeKey sets up two-step verification, which the person lacks, on the way to a key, and
// returns the recovery codes.
func (j *job) enrolAndMakeKey() (codes []string) {
	j.openKeys()
	j.click(`main a[href^="/account/two-step"]`)
	codes = j.enrol()
	if shortened(j.Path()) == "/account" {
		j.openKeys()
	}
	if !j.Has("#name") {
		j.click(`a:text("Create key")`)
	}
	j.makeKey()
	j.click(`a:text("Done")`)
	j.WaitFor("table.keys")
	j.done("An admin sets up two-step verification and makes a key")
	return codes
}

// enrol adds the account to the phone and saves the codes.
func (j *job) enrol() (codes []string) {
	j.fill("#code", apptest.CodeOf(j.T, strings.ReplaceAll(j.Text("#totp"), " ", "")))
	j.fill("#current", apptest.DemoAccount(j.T, "claire@harbour.example.com").Password)
	j.click(`button:text("Turn on two-step verification")`)
	j.WaitFor("#codes")
	codes = j.Texts("#codes li")
	j.copyBy(`button:text("Copy codes")`)
	j.click(`.actions a.btn:text("Done")`, `.actions a.btn:text("Continue")`)
	return codes
}

// exportedLastWeek has three exports of last week, under many entries of this one.
func exportedLastWeek(t *testing.T, d *apptest.Child, db *apptest.Door) {
	t.Helper()
	key := demoToken(t, d)
	for _, slug := range []string{
		"prompting-at-the-dock", "data-detectives-warehouse", "agents-on-watch",
	} {
		fork := apptest.Read[string](t, db, `select id::text from forks where slug = $1`, slug)
		require.Equal(t, http.StatusOK,
			callWith(t, d, "/api/v1/forks/"+fork+"/exports/csv?from=2026-10-01&to=2026-10-31", key))
	}
	apptest.Until(t, time.Minute, "exports finish", func() bool {
		return apptest.Read[int](t, db,
			`select count(*) from audit_entries where action = 'export.finished'`) == 3
	})
	db.Do(t,
		`update audit_entries set at = date_trunc('week',
			now()) - interval '4 days' + (at - date_trunc('day', at)) where action like 'export.%'`)
	require.Equal(t, http.StatusForbidden, callWith(t, d, "/nowhere", key))
	db.Do(t,
		`insert into audit_entries (id, org_id, at, actor_kind, actor_id, actor_name, action,
			target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select max(id) over () + n, org_id, at, actor_kind, actor_id, actor_name, action,
		  target_kind, target_id, reason, method, path || n, address, user_agent, request_id || n
		from audit_entries, generate_series(1, 300) n where action = 'api_key.refused'`)
}

// findExports ends when who, which fork and how many rows of each are on the screen.
func findExports(j *job) {
	j.click(`.top nav a:text("Settings")`)
	j.click(`.sidebar a:text("Audit log")`)
	week := time.Now().UTC()
	week = week.AddDate(0, 0, -7-int(week.Weekday()+6)%7)
	if j.Has(`.presets a:text("Last week")`) {
		j.click(`.presets a:text("Last week")`)
	} else {
		j.fill("#from", week.Format(time.DateOnly))
		j.fill("#to", week.AddDate(0, 0, 6).Format(time.DateOnly))
	}
	if j.Count("table.log tbody tr") != 3 {
		exports := j.optionOf("#action", "Export finished", "Export", "Exports")
		j.choose("#action", exports)
		j.click(`form.filters button:text("Apply")`)
	}
	require.Equal(j.T, 3, j.Count("table.log tbody tr"))
	rows := j.Text("table.log")
	for _, fact := range []string{"Demo (make run)", "rows"} {
		require.Contains(j.T, rows, fact)
	}
}

// optionOf is the value of the first option with one of the texts.
func (j *job) optionOf(selector string, texts ...string) (value string) {
	for _, text := range texts {
		j.Eval(
			fmt.Sprintf(
				`[...document.querySelectorAll('%s option')].find((o) => o.text === '%s')?.value ?? ''`,
				selector, text,
			), &value,
		)
		if value != "" {
			return value
		}
	}
	j.Fatalf("%s has none of %q", selector, texts)
	return ""
}

// compareQuarters ends when the figures of the last quarter and of the time before it have been
// seen, and its rows are there.
func compareQuarters(j *job) {
	j.click(`main a:text("Prompting at the Dock")`)
	today := time.Now().UTC()
	last := time.Date(today.Year(), today.Month()-(today.Month()-1)%3-3, 1, 0, 0, 0, 0, time.UTC)
	j.choose("#group", j.optionOf("#group", "Warehouse leads"))
	period := func(from time.Time) {
		j.fill("#from", from.Format(time.DateOnly))
		j.fill("#to", from.AddDate(0, 3, -1).Format(time.DateOnly))
		j.click(`form[aria-label="Group and period"] button`)
		require.NotContains(j.T, j.Text("main"), "hidden")
	}
	period(last)
	if !j.Has(".figures .change") {
		period(last.AddDate(0, -3, 0))
		period(last)
	}
	j.click(`form.download button`)
}

// lostPhone is of somebody who has the recovery codes, and ends with the account on another phone.
func lostPhone(t *testing.T, d *apptest.Child, a demo.Account, codes []string) {
	t.Helper()
	j := &job{T: t, Page: browsertest.New(t), d: d}
	j.Open(d.URL + "/sign-in")
	j.start()
	j.fill("#email", a.Email)
	j.fill("#password", a.Password)
	j.click("button.primary")
	j.click(`a:text("Use a recovery code")`)
	j.fill("#code", codes[0])
	j.click("button.primary")
	j.WaitFor("header.top")
	if !j.Has(`main a:text("Turn off two-step verification")`) {
		j.click(".me a")
	}
	j.click(`main a:text("Turn off two-step verification")`)
	j.fill("#code", codes[1])
	j.fill("#current", a.Password)
	j.click("main form button.danger", "main form button.primary")
	j.click(`main a:text("Set up two-step verification")`)
	j.enrol()
	j.WaitFor("main .state.on")
	j.done("Lost phone: in by a recovery code, and on another phone")
}
