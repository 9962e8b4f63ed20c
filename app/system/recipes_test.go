package system

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// recipe is a program of /docs, and how it is run. In the command, PYTHON stands for a Python that has
// pandas.
type recipe struct {
	id, file, command string
	needs             string // tried first: a recipe whose tool is absent is skipped
}

func recipes(t *testing.T) []recipe {
	return []recipe{
		{"curl", "dg.sh", "bash dg.sh", "curl --version && jq --version"},
		{"python", "dg.py", "PYTHON dg.py", "PYTHON -c 'import matplotlib, pandas, requests'"},
		{"r", "dg.R", "Rscript dg.R", "Rscript -e 'library(httr2); library(jsonlite); library(readr)'"},
		{"postgresql", "dg.psql", "psql '" + testkit.New(t).OwnerURL + "' -tA -f dg.psql",
			"psql --version && curl --version"},
		{"nightly-sync", "sync.py", "python3 sync.py --dest csv --to copy", "python3 --version"},
	}
}

// cookbook is the demo with its documentation, as one of its people reads it.
type cookbook struct {
	*demoServed
	reader       *testkit.Browser
	organisation string
	fork         string
	group        string // one of which too few play
	from         string // the first day that the recipes read
	plays        int    // until yesterday
}

func newCookbook(t *testing.T) *cookbook {
	b := &cookbook{demoServed: serveDemo(t)}
	b.reader = apptest.SignedIn(t, b.URL, apptest.DemoAccount(t, "maren@harbour.example.com"))
	b.group = testkit.One[string](b.db,
		`select id::text from player_groups where name = 'Night shift, gate 4'`)
	b.fork = testkit.Find(t, `fork="" +# such as ([0-9a-f-]{36})`, b.text("curl"))
	b.from = testkit.Find(t, `from=([0-9-]{10})`, b.text("curl"))
	b.organisation = testkit.One[string](b.db, `select org_id::text from forks where id = $1`, b.fork)
	b.plays = b.db.Count(`plays p join forks f on f.id = p.fork_id
		where f.org_id = $1 and p.started_at < date_trunc('day', now(), 'UTC')`, b.organisation)
	return b
}

func (b *cookbook) text(id string) string {
	page := b.reader.Get("/docs/recipes/" + id).Body
	return plain(testkit.Find(b.reader.T, `(?s)<code id="recipe">(.*?)</code></pre>`, page))
}

func plain(code string) string {
	return html.UnescapeString(regexp.MustCompile(`</?(?:b|i|u|span)[^>]*>`).ReplaceAllString(code, ""))
}

// with sets a recipe's empty variable, such as FORK or group_id, to the value.
func with(t *testing.T, text, name, value string) string {
	at := regexp.MustCompile(`(?im)^(.*\b` + name + `(?:_id)?\s*(?:=|<-|)\s*)(?:""|''|NULL)`).
		FindStringSubmatchIndex(text)
	require.NotNil(t, at)
	quote := strings.ReplaceAll(text[at[1]-1:at[1]], "L", `"`)
	return text[:at[3]] + quote + value + quote + text[at[1]:]
}

func shell(t *testing.T, command string) *exec.Cmd {
	python := "python3"
	if exec.Command("/usr/bin/python3", "-c", "import pandas").Run() == nil {
		python = "/usr/bin/python3"
	}
	return exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, "PYTHON", python))
}

func (r recipe) run(t *testing.T, folder, text, key string) (string, error) {
	for name, content := range map[string]string{
		r.file:    text,
		"dg.curl": fmt.Sprintf("header = \"Authorization: Bearer %s\"\n", key),
		"key.txt": "\ufeff" + key + "\n", // by an editor that begins with a byte order mark
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	c := shell(t, r.command)
	c.Dir = folder
	c.Env = append(apptest.CleanEnvironment(), "DG_KEY="+key, "DG_KEY_FILE=key.txt")
	out, err := c.CombinedOutput()
	return string(out), err
}

// The recipes of /docs for curl, Python, R and SQL run as they are copied from their pages. They read
// every play, retry as Retry-After says, and fail visibly for a hidden group, a broken transfer and a
// redirect, which never gets the key. So do the first requests of the guide and of the page about CSV.
func TestRecipes(t *testing.T) {
	t.Parallel()
	b := newCookbook(t)
	guide := b.reader.Get("/docs").Body + b.reader.Get("/docs/csv").Body
	steps := firstRequest.FindAllStringSubmatch(guide, -1)
	require.Len(t, steps, 9)
	for _, r := range recipes(t) {
		t.Run(r.id, func(t *testing.T) {
			t.Parallel()
			if out, err := shell(t, r.needs).CombinedOutput(); err != nil {
				t.Skipf("SKIPPED, NOTHING WAS TESTED: %s: %v %s", r.needs, err, out)
			}
			key := b.db.Key(b.organisation).Token()
			text := b.text(r.id)
			if r.id == "nightly-sync" {
				b.syncs(t, r, text, key)
			} else {
				b.reads(t, r, text, key)
				b.failsOnBrokenTransfer(t, r, text, key)
			}
			out, err := b.redirected(t, r, text, key)
			require.Error(t, err, "%s", out)
			out, err = r.run(t, t.TempDir(), strings.ReplaceAll(text, b.URL, "http://dg.invalid"), key)
			require.Error(t, err, "%s", out)
			require.Regexp(t, `https://|"http" (not supported or )?disabled`, out)
			b.asksFirst(t, r, steps, key)
		})
	}
}

var firstRequest = regexp.MustCompile(`(?s)<code id="(?:forks|stats|csv)-(curl|python|r)">(.*?)</code>`)

func (b *cookbook) asksFirst(t *testing.T, r recipe, steps [][]string, key string) {
	for _, step := range steps {
		if step[1] != r.id {
			continue
		}
		folder := t.TempDir()
		out, err := r.run(t, folder, plain(step[2]), key)
		require.NoError(t, err, "%s", out)
		file, _ := os.ReadFile(filepath.Join(folder, "plays.csv"))
		require.Regexp(t, `"items":\[\{"id":|"suppressed":false|playId,`, out+string(file))
		_, _ = b.redirected(t, r, plain(step[2]), key) // it prints the answer that it got
	}
}

// reads requires that the recipe counts the plays of a year, and names a hidden group.
func (b *cookbook) reads(t *testing.T, r recipe, text, key string) {
	want := b.db.Count(`plays
		where fork_id = $1 and started_at >= $2::timestamp at time zone 'UTC'`, b.fork, b.from)
	folder := t.TempDir()
	var lists atomic.Int32
	busy := b.intercept(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/forks") || lists.Add(1) > 1 {
			return false
		}
		w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		http.Error(w, `{"code": "resource-exhausted"}`, http.StatusTooManyRequests)
		return true
	})
	through := with(t, strings.ReplaceAll(text, b.URL, busy), "fork", b.fork)
	out, err := r.run(t, folder, through, key)
	require.NoError(t, err, "%s", out)
	require.Equal(t, int32(2), lists.Load(), "asks again")
	if r.id == "curl" { // it saves the rows
		require.Equal(t, want, rowsOf(t, filepath.Join(folder, "plays.csv")))
	} else {
		require.Regexp(t, fmt.Sprintf(`\b%d( plays|\|)`, want), out)
	}
	folder = t.TempDir()
	out, err = r.run(t, folder, with(t, text, "group", b.group), key)
	require.Error(t, err, "%s", out)
	require.Contains(t, out, "fewer than 5 members of the group played. This is not zero")
	require.NoFileExists(t, filepath.Join(folder, "plays.csv"))
}

func rowsOf(t *testing.T, name string) int {
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	return len(rows) - 1
}

// intercept serves what the handler answers, and forwards other requests to dg.
func (b *cookbook) intercept(
	t *testing.T, answers func(w http.ResponseWriter, r *http.Request) bool,
) (base string) {
	to, err := url.Parse(b.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(service.Close)
	return service.URL
}

// syncs requires that the nightly sync has every play up to yesterday, once, reads nothing twice in
// a day, and says what is wrong with a key.
func (b *cookbook) syncs(t *testing.T, r recipe, text, key string) {
	folder := t.TempDir()
	out, err := r.run(t, folder, text, key[:len(key)-1]+"!")
	require.ErrorContains(t, err, "exit status 3", "%s", out)
	require.Contains(t, out, "the key is refused: 401")
	for range 2 {
		out, err = r.run(t, folder, text, key)
		require.NoError(t, err, "%s", out)
		files, err := filepath.Glob(filepath.Join(folder, "copy/plays/*.csv"))
		require.NoError(t, err)
		plays := 0
		for _, name := range files {
			plays += rowsOf(t, name)
		}
		require.Equal(t, b.plays, plays, "%s", out)
	}
}

// failsOnBrokenTransfer cuts every export: no figure and no file looks whole.
func (b *cookbook) failsOnBrokenTransfer(t *testing.T, r recipe, text, key string) {
	broken := b.intercept(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/csv") {
			return false
		}
		w.Header().Set("Content-Length", "100000")
		file := b.Fetch(r.URL.RequestURI(), key)
		_, _ = w.Write([]byte(file[:min(500, len(file))]))
		panic(http.ErrAbortHandler)
	})
	folder := t.TempDir()
	b.db.Exec(`delete from api_key_windows`)
	out, err := r.run(t, folder, strings.NewReplacer(b.URL, broken, "max_tries = 8", "max_tries = 2").
		Replace(text), key)
	require.Error(t, err, "%s", out)
	require.NotContains(t, out, "average score")
	require.NoFileExists(t, filepath.Join(folder, "plays.csv"))
}

// redirected runs the program against a service that redirects it elsewhere, where no request arrives.
func (b *cookbook) redirected(t *testing.T, r recipe, text, key string) (out string, err error) {
	var arrived atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived.Add(1)
	}))
	defer elsewhere.Close()
	service := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer service.Close()
	out, err = r.run(t, t.TempDir(), strings.ReplaceAll(text, b.URL, service.URL), key)
	require.Zero(t, arrived.Load(), "%s", out)
	return out, err
}
