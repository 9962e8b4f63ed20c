package system

import (
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
	"dg/platform/testkit/tb"
)

// recipe is a program of /docs with the command that runs it. PYTHON in the command stands for a Python with pandas.
type recipe struct {
	id, file, command string
	requiredCommand   string // a command that must succeed; otherwise the recipe is skipped
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

// cookbook is a served demo. reader is a person who reads its documentation.
type cookbook struct {
	*servedDemo
	reader       *testkit.Browser
	organisation string
	fork         string
	from         string // the first day of the recipes' period
}

func (b *cookbook) text(id string) string {
	page := b.reader.Get("/docs/recipes/" + id).Body
	return stripMarkup(testkit.Submatch(b.reader.T, `(?s)<code id="recipe">(.*?)</code></pre>`, page))
}

func stripMarkup(code string) string {
	return html.UnescapeString(regexp.MustCompile(`</?(?:b|i|u|span)[^>]*>`).ReplaceAllString(code, ""))
}

// setVariable sets a recipe's empty variable, such as FORK or group_id.
func setVariable(t *testing.T, text, name, value string) string {
	match := regexp.MustCompile(`(?im)^(.*\b` + name + `(?:_id)?\s*(?:=|<-|)\s*)(?:""|''|NULL)`).
		FindStringSubmatchIndex(text)
	require.NotNil(t, match)
	quote := strings.ReplaceAll(text[match[1]-1:match[1]], "L", `"`)
	return text[:match[3]] + quote + value + quote + text[match[1]:]
}

func shell(t *testing.T, command string) *exec.Cmd {
	python := "python3"
	if exec.Command("/usr/bin/python3", "-c", "import pandas").Run() == nil {
		python = "/usr/bin/python3"
	}
	return exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, "PYTHON", python))
}

func skipWithout(t *testing.T, command string) {
	if out, err := shell(t, command).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %s: %v %s", command, err, out)
	}
}

func (r recipe) run(t *testing.T, folder, text, key string) (out string, status int) {
	for name, content := range map[string]string{
		r.file:    text,
		"dg.curl": fmt.Sprintf("header = \"Authorization: Bearer %s\"\n", key),
		"key.txt": "\ufeff" + key + "\n", // some editors write a byte order mark
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	c := shell(t, r.command)
	c.Dir = folder
	c.Env = append(apptest.CleanEnvironment(), "DG_KEY="+key, "DG_KEY_FILE=key.txt")
	output, _ := c.CombinedOutput()
	return string(output), c.ProcessState.ExitCode()
}

// The recipes of /docs and the guide's first requests run as copied, and fail visibly. No redirect gets the key.
func TestRecipesRunAsCopied(t *testing.T) {
	t.Parallel()
	book := &cookbook{servedDemo: serveDemo(t)}
	book.reader = apptest.SignIn(t, book.ListenURL, apptest.DemoAccount(t, "maren@harbour.example.com"))
	book.fork = testkit.Submatch(t, `fork="" +# such as ([0-9a-f-]{36})`, book.text("curl"))
	book.from = testkit.Submatch(t, `from=([0-9-]{10})`, book.text("curl"))
	book.organisation = testkit.Query[string](book.db, `select org_id::text from forks where id = $1`, book.fork)
	guide := book.reader.Get("/docs").Body + book.reader.Get("/docs/csv").Body
	steps := firstRequestPattern.FindAllStringSubmatch(guide, -1)
	require.Len(t, steps, 9)
	for _, r := range recipes(t) {
		t.Run(r.id, func(t *testing.T) {
			t.Parallel()
			skipWithout(t, r.requiredCommand)
			key := book.db.AddKey(book.organisation).Token()
			text := book.text(r.id)
			if r.id == "nightly-sync" {
				book.checkSync(t, r, text, key)
			} else {
				book.checkReads(t, r, text, key)
				book.checkBrokenTransfer(t, r, text, key)
			}
			out, status := book.runRedirected(t, r, text, key)
			require.NotZero(t, status, out)
			out, status = r.run(t, t.TempDir(), strings.ReplaceAll(text, book.ListenURL, "http://dg.invalid"), key)
			require.NotZero(t, status, out)
			require.Regexp(t, `https://|"http" (not supported or )?disabled`, out)
			book.checkFirstRequests(t, r, steps, key)
		})
	}
}

var firstRequestPattern = regexp.MustCompile(`(?s)<code id="(?:forks|stats|csv)-(curl|python|r)">(.*?)</code>`)

func (b *cookbook) checkFirstRequests(t *testing.T, r recipe, steps [][]string, key string) {
	for _, step := range steps {
		if step[1] == r.id {
			folder := t.TempDir()
			out, status := r.run(t, folder, stripMarkup(step[2]), key)
			require.Zero(t, status, out)
			file, _ := os.ReadFile(filepath.Join(folder, "plays.csv"))
			require.Regexp(t, `"items":\[\{"id":|"suppressed":false|playId,`, out+string(file))
			_, _ = b.runRedirected(t, r, stripMarkup(step[2]), key) // may succeed, because curl prints any response
		}
	}
}

// checkReads requires that the recipe counts the plays of a year and reports a hidden group, Python in a notebook too.
func (b *cookbook) checkReads(t *testing.T, r recipe, text, key string) {
	want := b.db.CountRows(`plays where fork_id = $1 and started_at >= $2::timestamp at time zone 'UTC'`, b.fork, b.from)
	folder := t.TempDir()
	var listRequests atomic.Int32
	busyURL := b.intercept(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/forks") || listRequests.Add(1) > 1 {
			return false
		}
		w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		http.Error(w, `{"code": "resource-exhausted"}`, http.StatusTooManyRequests)
		return true
	})
	throttled := setVariable(t, strings.ReplaceAll(text, b.ListenURL, busyURL), "fork", b.fork)
	if r.id == "python" { // a notebook's standard output lacks reconfigure
		throttled = "import io, sys\nsys.stdout = type('', (io.TextIOBase,), {'write': sys.stdout.write})()\n" +
			throttled
	}
	out, status := r.run(t, folder, throttled, key)
	require.Zero(t, status, out)
	require.Equal(t, int32(2), listRequests.Load(), "asks again")
	if r.id == "curl" { // this recipe saves the rows to a file
		require.Len(t, rowsOfCSV(apptest.ReadFile(t, folder, "plays.csv")), want)
	} else {
		require.Regexp(t, fmt.Sprintf(`\b%d( plays|\|)`, want), out)
	}
	folder = t.TempDir()
	group := testkit.Query[string](b.db, `select id::text from player_groups where name = 'Night shift, gate 4'`)
	out, status = r.run(t, folder, setVariable(t, text, "group", group), key)
	require.NotZero(t, status, out)
	require.Contains(t, out, "fewer than 5 members of the group played. This is not zero")
	require.NoFileExists(t, filepath.Join(folder, "plays.csv"))
}

func (b *cookbook) intercept(t *testing.T, answers func(http.ResponseWriter, *http.Request) bool) (base string) {
	target := tb.Must(url.Parse(b.ListenURL))(t)
	proxy := httputil.NewSingleHostReverseProxy(target)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(service.Close)
	return service.URL
}

// checkSync requires that the nightly sync reports a refused key, and copies every play up to yesterday.
func (b *cookbook) checkSync(t *testing.T, r recipe, text, key string) {
	folder := t.TempDir()
	out, status := r.run(t, folder, text, key[:len(key)-1]+"!")
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "the key is refused: 401")
	out, status = r.run(t, folder, text, key)
	require.Zero(t, status, out)
	plays := 0
	for _, name := range tb.Must(filepath.Glob(filepath.Join(folder, "copy/plays/*.csv")))(t) {
		plays += len(rowsOfCSV(apptest.ReadFile(t, name)))
	}
	require.Equal(t, b.db.CountRows(`plays p join forks f on f.id = p.fork_id where f.org_id = $1
		and p.started_at < date_trunc('day', now(), 'UTC')`, b.organisation), plays, out)
}

// checkBrokenTransfer truncates every export. No figure and no file may look complete.
func (b *cookbook) checkBrokenTransfer(t *testing.T, r recipe, text, key string) {
	broken := b.intercept(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/csv") {
			return false
		}
		w.Header().Set("Content-Length", "100000")
		file := b.GetBody(r.URL.RequestURI(), key)
		_, _ = w.Write([]byte(file[:min(500, len(file))]))
		panic(http.ErrAbortHandler)
	})
	folder := t.TempDir()
	b.db.Exec(`delete from api_key_windows`)
	out, status := r.run(t, folder, strings.NewReplacer(b.ListenURL, broken, "max_tries = 8", "max_tries = 2").
		Replace(text), key)
	require.NotZero(t, status, out)
	require.NotContains(t, out, "average score")
	require.NoFileExists(t, filepath.Join(folder, "plays.csv"))
}

// runRedirected runs the program against a service that redirects elsewhere. No request may follow the redirect.
func (b *cookbook) runRedirected(t *testing.T, r recipe, text, key string) (out string, status int) {
	var arrived atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	defer elsewhere.Close()
	service := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer service.Close()
	out, status = r.run(t, t.TempDir(), strings.ReplaceAll(text, b.ListenURL, service.URL), key)
	require.Zero(t, arrived.Load(), out)
	return out, status
}
