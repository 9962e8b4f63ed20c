package system

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// instance is one of the programs, and a browser of the owner's that has signed in to it.
type instance struct {
	*rollout
	program *apptest.Child
	browser *apptest.WebClient
}

func (r *rollout) instance(c *apptest.Child) *instance {
	return &instance{r, c, apptest.NewWebClient(r.T, c.URL).SignIn(formerOwner)}
}

// get asks the API and wants a status.
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
	i.d.Do(i.T, `delete from api_key_windows`) // how often a key may ask is not the question here
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
