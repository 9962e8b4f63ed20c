package system

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/modules/identity/password"
	"dg/modules/reports/segment"
	"slices"
)

// lastRelease is the commit of v1.0.0. Each release replaces it.
const lastRelease = "ea9cd15cb076b6e05369bdbe401cf18edc28d186"

// lastReleaseBinary builds the last release from the history into bin. In a shallow clone it
// returns "".
var lastReleaseBinary = sync.OnceValues(func() (string, error) {
	path := apptest.InTree("bin", "dg-"+lastRelease)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if exec.Command("git", "cat-file", "-e", lastRelease+"^{tree}").Run() != nil {
		return "", nil
	}
	source, err := os.MkdirTemp("", "dg-last-release-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(source)
	fresh := fmt.Sprintf("%s-%d", path, os.Getpid())
	build := exec.Command("sh", "-ec",
		`git -C "$4" archive "$1" | tar -x -C "$2"; cd "$2"; exec go build -buildvcs=false -o "$3" ./app`,
		"sh", lastRelease, source, fresh, apptest.InTree())
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the last release: %w\n%s", err, out)
	}
	return path, os.Rename(fresh, path) // atomic, for concurrent test runs
})

// rollout runs programs of both releases on a database of the last release.
type rollout struct {
	*testing.T
	x      *apptest.External
	d      *apptest.AdminDB
	former formerAnswers
	old    string // the program of the last release
}

// Two people of the former database.
var (
	formerOwner = demo.Account{Email: "owner@scale.example", Password: "a password of this test"}
	formerAdmin = demo.Account{
		Email:      "admin@scale.example",
		Password:   formerOwner.Password,
		TOTPSecret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
	}
)

func beginRollout(t *testing.T) *rollout {
	t.Helper()
	old, err := lastReleaseBinary()
	require.NoError(t, err)
	if old == "" {
		t.Skip(
			"SKIPPED, NOTHING WAS TESTED: the last release's commit is not here: a clone without history?",
		)
	}
	x := apptest.NewExternal(t)
	r := &rollout{T: t, x: x, d: restoreFormer(t, x.Dir), former: readFormerAnswers(t), old: old}
	hash, err := password.Hash(formerOwner.Password, rand.Reader)
	require.NoError(t, err)
	r.d.Do(t, `update users set password_hash = $1`, hash)
	return r
}

// serveOld starts the last release, by default with the serving role only, so that it neither
// migrates nor grants.
func (r *rollout) serveOld(args ...string) *instance {
	r.Helper()
	c := apptest.LaunchWith(r.T, func(cmd *exec.Cmd) { cmd.Path = r.old }, append([]string{"serve",
		"--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--database-url", r.x.Serving()}, args...)...)
	return r.instance(c.UntilServing())
}

func (r *rollout) serveNew() *instance { return r.instance(r.x.Serve()) }

// The last release serves on this schema, next to this release, without errors and with equal
// figures: during the migration, after it, and after a restart.
func TestLastReleaseServesOnThisSchema(t *testing.T) {
	t.Parallel()
	r := beginRollout(t)
	old := r.serveOld()
	old.answersAsBefore()
	known := apptest.Read[int64](t, r.d, `select max(version_id) from goose_db_version`)
	migrated := apptest.Launch(t, r.x.On("migrate")...)
	for done := false; !done; {
		select {
		case <-migrated.Exited:
			done = true
		default:
			old.answersAsBefore()
		}
	}
	require.Zero(t, migrated.Status(time.Second), "%s", migrated.Log.String())

	require.LessOrEqual(t, apptest.Read[int64](t, r.d, `select version from schema_minimum`), known,
		"from 2.0.0 on a program below it does not start")
	old.answersAsBefore()
	newer := r.serveNew()
	r.awaitSegments(segment.Version, segment.MonthVersion)
	r.importOtherPlan()
	require.Equal(t, 1, strings.Count(strings.Join(old.auditLog(), ""), "|plan.changed|"),
		"an action that the last release does not know")
	r.inTurns(old, newer)
	old.program.Stop()
	old = r.serveOld()
	r.awaitSegments(1, 1) // the version of its segments
	r.inTurns(old, newer)
	for _, i := range []*instance{old, newer} {
		require.NotContains(t, i.program.Log.String(), "level=ERROR")
	}

	// With the owner's URL the last release revokes rights of this one. dg migrate grants them
	// again.
	const right = `select has_table_privilege('dg_app', 'recovery_codes', 'insert')`
	require.True(t, apptest.Read[bool](t, r.d, right))
	r.serveOld("--migrate-database-url", r.x.Owner())
	require.False(t, apptest.Read[bool](t, r.d, right), "then the advice in the changelog can go")
	r.x.Succeeds("migrate")
	require.True(t, apptest.Read[bool](t, r.d, right))
}

// importOtherPlan imports the organisation with another plan that includes the API.
func (r *rollout) importOtherPlan() {
	r.Helper()
	line := apptest.Read[string](r.T, r.d,
		`select json_build_object('type', 'organisation', 'id', id, 'slug', slug, 'name', name,
		'plan', case plan when 'pro' then 'enterprise' else 'pro' end, 'reportingMode', reporting_mode)::text
		from organisations where slug = $1`, r.former.Organisation)
	file := filepath.Join(r.TempDir(), "plan.ndjson")
	require.NoError(r, os.WriteFile(file, []byte(line+"\n"), 0o600))
	r.x.Succeeds("import", file)
}

// awaitSegments waits until all segments have those versions. The other release does not read them.
func (r *rollout) awaitSegments(days, months int) {
	r.Helper()
	apptest.Until(r.T, backWithin*4, "the segments are those of the other release", func() bool {
		return apptest.Read[bool](r.T, r.d,
			`select not exists (select from fork_days where get_byte(sums, 0) <> $1)
			and not exists (select from fork_months where get_byte(segment, 0) <> $2)`, days,
			months)
	})
}

// inTurns makes each change on one instance and checks it on the other.
func (r *rollout) inTurns(old, newer *instance) {
	r.Helper()
	name := apptest.Read[string](r.T, r.d, `select name from organisations where slug = $1`,
		r.former.Organisation)
	for _, turn := range []struct{ one, other *instance }{{old, newer}, {newer, old}} {
		both := []*instance{turn.one, turn.other}
		turn.one.answersAsBefore()
		apptest.NewWebClient(r.T, turn.one.program.URL).SignIn(formerAdmin)
		r.d.Do(r.T, `update users set totp_last_step = 0`) // the same code for the other
		recent := apptest.NewWebClient(r.T, turn.one.program.URL).SignIn(formerOwner)
		recent.Base = turn.other.program.URL
		form := recent.Get("/o/" + r.former.Organisation + "/settings/api-keys/new")
		require.Contains(r, form, "Create key")
		require.NotContains(r, form, `name="current"`,
			"a sign-in to the other counts as entering the password")
		key := turn.one.createKey("Made here")
		for _, i := range both {
			i.get("/api/v1/forks", key, http.StatusOK)
			i.get("/api/v1/forks", key+"x", http.StatusUnauthorized)
			i.get(r.former.Fork+"/stats"+r.former.Query, key, http.StatusForbidden)
		}
		turn.other.browser.Cookies = turn.one.browser.Cookies // one browser from here on
		turn.other.revokeKey(key)
		for _, mode := range []string{"nominative", "pseudonymous"} {
			turn.one.browser.Submit("/o/"+r.former.Organisation+
				"/settings/organisation/reporting-mode", "mode", mode, "organisation", name)
			for _, i := range both {
				i.get("/api/v1/forks", key, http.StatusUnauthorized)
				require.Contains(r,
					i.get(r.former.Fork+"/stats"+r.former.Query, r.former.Key, http.StatusOK),
					`"reportingMode":"`+mode+`"`)
			}
		}
		turn.one.browser.Submit("/account/password", "current", formerOwner.Password, "new",
			"another password", "repeat", "another password")
		turn.other.browser.Submit("/account/password", "current", "another password", "new",
			formerOwner.Password, "repeat", formerOwner.Password)
		require.Subset(r, csvRows(r.T, turn.one.screen("/settings/audit-log.csv")),
			csvRows(r.T, r.former.AuditLog))
		require.Equal(r, turn.one.auditLog(), turn.other.auditLog())
	}
}

// instance is one of the programs, with a signed-in browser of the owner.
type instance struct {
	*rollout
	program *apptest.Child
	browser *apptest.WebClient
}

func (r *rollout) instance(c *apptest.Child) *instance {
	return &instance{r, c, apptest.NewWebClient(r.T, c.URL).SignIn(formerOwner)}
}

// get requests a path of the API and requires the status.
func (i *instance) get(path, key string, want int) string {
	i.Helper()
	answer := i.program.Get(path, key)
	require.Equal(i, want, answer.Status, "%s: %s\n%s", path, answer.Body, i.program.Log.String())
	return answer.Body
}

// screen opens a page of the organisation.
func (i *instance) screen(path string) string {
	i.Helper()
	status, body, _ := i.browser.Send("/o/"+i.former.Organisation+path, nil)
	require.Equal(i, http.StatusOK, status, "%s: %s\n%s", path, body, i.program.Log.String())
	return body
}

// answersAsBefore asks the four endpoints, and opens the screens.
func (i *instance) answersAsBefore() {
	i.Helper()
	f := i.former
	i.d.Do(i.T, `delete from api_key_windows`) // the rate limit is not under test
	require.JSONEq(i, string(f.Forks), i.get("/api/v1/forks", f.Key, 200))
	require.Contains(i, i.get(f.Fork, f.Key, 200), `"slug":"fork-1"`)
	require.JSONEq(i, string(f.Stats), i.get(f.Fork+"/stats"+f.Query, f.Key, 200))
	require.Equal(i, f.PlaysSHA256, formerSum(i.get(f.Fork+"/exports/csv"+f.Query, f.Key, 200)))
	report := "/reports/" + filepath.Base(f.Fork)
	for _, path := range []string{"/reports", report + f.Query, report + "/plays.csv" + f.Query,
		"/settings/api-keys", "/settings/api-keys/new", "/settings/audit-log",
		"/settings/audit-log.csv", "/settings/organisation",
		"/settings/organisation/reporting-mode"} {
		i.screen(path)
	}
}

// createKey creates a key on the screen.
func (i *instance) createKey(name string) string {
	i.Helper()
	page, _ := i.browser.Submit("/o/"+i.former.Organisation+"/settings/api-keys/new", "name", name,
		"scopes", "forks:read", "expiry", "30")
	require.Regexp(i, apptest.DemoKey, page)
	return apptest.DemoKey.FindString(page)
}

// revokeKey revokes a key on the screen.
func (i *instance) revokeKey(key string) {
	i.Helper()
	id := strings.Split(key, "_")[2]
	i.browser.Submit("/o/" + i.former.Organisation + "/settings/api-keys/" + id + "/revoke")
}

// auditLog is the downloaded log, without what the download itself adds to it.
func (i *instance) auditLog() []string {
	i.Helper()
	rows := csvRows(i.T, i.screen("/settings/audit-log.csv"))
	return slices.DeleteFunc(rows, func(row string) bool {
		return strings.Contains(row, "audit_log.exported")
	})
}
