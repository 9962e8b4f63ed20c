package chaos

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/reports/sealer"
)

// Each check of what must hold after chaos finds what it is for, and all of them nothing after a
// quiet run.
func TestChaosChecksFindWhatIsWrong(t *testing.T) {
	t.Parallel()
	t.Run("a wrong answer in an outage", callersFindWrongAnswers)
	e := apptest.StartExporting(t, sealer.SealFrom+apptest.ChaosSize(1_000, 50_000, 500_000))
	for _, path := range []string{
		"/api/v1/forks", "/sign-in", strings.Replace(e.ExportPath, "exports/csv", "stats", 1),
	} {
		apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), e.URL+path, e.Token))
	}
	o := beginChaos(t, e.Door, e.Child)
	response, body := e.BeginExport(t, "whole-export-1")
	o.saw("whole-export-1", "export.started")
	_, failed := io.Copy(io.Discard, body)
	require.NoError(t, failed)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusForbidden,
		apptest.Ask(t, apptest.NewClient(), e.URL+"/healthz", e.Token, "X-Request-Id",
			"refused-use-1").StatusCode)
	o.saw("refused-use-1", "api_key.refused")
	o.ends(t)

	t.Run("an export that is left", func(t *testing.T) {
		o.within = 300 * time.Millisecond
		response, _ := e.BeginExport(t, "left-export-1")
		defer response.Body.Close()
		found := strings.Join(o.leaks(t), "\n")
		for _, want := range []string{
			`dg_work_running{kind="export`, "dg_http_connections_open = 1",
			`dg_pool_connections{pool="exports",state="busy"} = 1`,
			"the database still works: dg exports active",
		} {
			require.Contains(t, found, want)
		}
	})
	require.Contains(t,
		strings.Join(moreGoroutines(map[string]int{"a": 1}, map[string]int{"a": 1, "b": 6}), ""),
		"6 goroutines, before 0, in b")
	t.Run("an answer without its entry", func(t *testing.T) {
		o.saw("never-happened-1", "export.started")
		o.saw("refused-use-1", "api_key.refused")
		require.Len(t, o.missingEntries(t), 2)
	})
	t.Run("a play that changes without its segment", func(t *testing.T) {
		for _, sql := range []string{
			`alter table plays disable trigger all`,
			`update plays set score = 10000 - score where score < 500`,
			`alter table plays enable trigger all`,
		} {
			e.Do(t, sql)
		}
		require.Contains(t, strings.Join(o.wrongSegments(t), ""), "segments are wrong")
	})
	t.Run("a secret in a log", func(t *testing.T) {
		require.Empty(t, o.shownSecrets(t))
		for _, secret := range []string{
			e.Token, "$argon2id$v=19$m=8", "Cookie: __Host-dg=" + strings.Repeat("a", 43),
			"postgres://dg_app:hunter2@localhost/dg", "otpauth://totp/dg",
		} {
			before := e.Log.String()
			_, _ = e.Log.Write([]byte(secret + "\n"))
			require.NotEmpty(t, o.shownSecrets(t), secret)
			e.Log.Reset(before)
		}
		require.Empty(t, o.shownSecrets(t))
	})
}

// callersFindWrongAnswers: those of the database's suites tell a right answer from a wrong one, a
// file that is too short from one that breaks off, and a failure that says so from one that does
// not.
func callersFindWrongAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/later":
			w.Header().Set("Retry-After", "2")
			fallthrough
		case "/never":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/failed":
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w,
			map[string]string{"/right": "one\ntwo\n", "/empty": `{"plays":0}`}[r.URL.Path])
		if r.URL.Path == "/short" || r.URL.Path == "/broken" {
			_, _ = io.WriteString(w, "one\n")
			_ = http.NewResponseController(w).Flush()
		}
		if r.URL.Path == "/broken" {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	c := &caller{base: server.URL, http: apptest.NewClient(), keys: []string{"a key"},
		known: map[string][]byte{}}
	for path, want := range map[string]outcome{
		"/right":  gotRight,
		"/empty":  "wrong",
		"/short":  "wrong",
		"/broken": gotBroken,
		"/later":  got503,
		"/never":  "wrong",
		"/failed": "wrong",
	} {
		c.known[path] = []byte(path + "\none\ntwo\n")
		require.Equal(t, want, c.reads("call-"+path, path, ""), path)
	}
	require.Len(t, c.wrong, 4)
}
