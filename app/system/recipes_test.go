package system

import (
	"fmt"
	"html"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/reports/sealer"
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

// cookbook runs the recipes of /docs on a served demo. reader is a signed-in browser that fetches their text.
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
	proxy := httputil.NewSingleHostReverseProxy(tb.Must(url.Parse(b.ListenURL))(t))
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

// nightlySync copies the changing plays of an organisation each night through a proxy, with a program of /docs.
type nightlySync struct {
	*testkit.World
	t         *testing.T
	url       string // URL of the proxy
	org       string
	forks     []testkit.Fork
	keys      []testkit.Key
	sealer    *sealer.Sealer
	random    *rand.Rand
	program   string
	folder    string
	night     time.Time
	requests  int
	interfere func(forward func()) // changes or breaks the forwarding of an export
}

func newNightlySync(t *testing.T, forks int) *nightlySync {
	served := apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})
	n := &nightlySync{World: served.World, t: t, random: rand.New(rand.NewPCG(1, 2)), folder: t.TempDir()}
	n.program = apptest.ReadFile(t, apptest.RepositoryPath("web/docs/recipes/sync.py"))
	n.night = time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC) // the copy spans three calendar years
	n.url = n.proxy(served.BaseURL)
	n.org = n.AddOrganisation(testkit.Organisation{}).ID
	n.AddPlayers(n.org, 600)
	for i := range forks {
		f := n.AddFork(testkit.Fork{OrganisationID: n.org, Slug: fmt.Sprint("fork-", i)})
		n.forks = append(n.forks, f)
		n.AddPlays(f, 750, time.Date(2024, 1, 3, 5, 0, 0, 0, time.UTC), 24*time.Hour)
	}
	for range 20 {
		n.keys = append(n.keys, n.AddKey(n.org))
	}
	n.sealer = sealer.New(served.DB, time.Now, slog.New(slog.DiscardHandler))
	n.sealer.MinPlays = 0
	return n
}

// proxy forwards one request after the other. It rotates the keys, because of their rate limit.
func (n *nightlySync) proxy(base string) string {
	target := tb.Must(url.Parse(base))(n.t)
	var mutex sync.Mutex
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = func(r *http.Response) error {
		r.Header.Del("RateLimit")
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		if n.requests++; n.requests%1000 == 0 {
			n.Exec(`delete from api_key_windows`)
		}
		r.Header.Set("Authorization", "Bearer "+n.keys[n.requests%len(n.keys)].Token())
		serve := func() { forward.ServeHTTP(w, r) }
		if n.interfere != nil && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/csv") {
			n.interfere(serve)
		} else {
			serve()
		}
	}))
	n.t.Cleanup(server.Close)
	return server.URL
}

// changePlays adds the plays of a day, corrects plays of any age, and sometimes erases a player.
func (n *nightlySync) changePlays() {
	for i, f := range n.forks {
		if i%4 > 0 && n.random.IntN(6) > 0 {
			continue // only every fourth fork has plays each day
		}
		n.AddPlays(f, 1+n.random.IntN(3), n.night.Add(-15*time.Hour), time.Minute)
	}
	f := n.forks[n.random.IntN(len(n.forks))]
	n.Exec(`update plays set score = 10000 - score where id in (select id from plays
		where fork_id = $1 and score <> 5000 order by md5(id::text || $2) limit 2)`, f.ID, n.night.String())
	n.AddPlays(f, 1, n.night.AddDate(0, 0, -1-n.random.IntN(700)), time.Minute) // a play that arrives late
	if n.random.IntN(10) == 0 {
		n.Exec(`delete from players where id = (select id from players where org_id = $1
			order by md5(id::text || $2) limit 1)`, n.org, n.night.String())
	}
	if n.random.IntN(2) == 0 {
		tb.Must(n.sealer.Seal(n.t.Context()))(n.t)
	}
}

// requireExit runs the program with the night's date, one fork at a time, and requires its exit status and output.
func (n *nightlySync) requireExit(status int, message string) {
	text := strings.NewReplacer("https://dg.example.org", n.url,
		"dt.datetime.now(dt.timezone.utc).date()", "dt.date.fromisoformat("+n.night.Format(`"2006-01-02"`)+")",
		"range(8)", "range(1)", "EXPORTS = 3", "EXPORTS = 1").Replace(n.program)
	syncRecipe := recipe{file: "sync.py", command: "python3 sync.py --dest csv --to copy"}
	out, exit := syncRecipe.run(n.t, n.folder, text, n.keys[0].Token())
	require.Equal(n.t, status, exit, out)
	require.Contains(n.t, out, message)
}

func rowsOfCSV(text string) []string { return strings.Split(strings.TrimSpace(text), "\n")[1:] }

func (n *nightlySync) requireEqualCopy() {
	for _, f := range n.forks {
		var want []string
		for year := 2024; year <= n.night.Year(); year++ {
			last := min(fmt.Sprintf("%d-12-31", year), n.night.AddDate(0, 0, -1).Format(time.DateOnly))
			file := apptest.ReadAll(n.t, apptest.Get(n.t, apptest.NewClient(), fmt.Sprintf(
				"%s/api/v1/forks/%s/exports/csv?from=%d-01-01&to=%s", n.url, f.ID, year, last), ""))
			want = append(want, rowsOfCSV(file)...)
		}
		got := rowsOfCSV(apptest.ReadFile(n.t, n.folder, "copy", "plays", f.ID+".csv"))
		require.Equal(n.t, want, got, "%s: %s", n.night, f.Slug)
	}
}

// After each night, the copy equals the exports, whatever changed or failed. Only changed months are read again.
func TestNightlySyncCopiesEveryChange(t *testing.T) {
	t.Parallel()
	n := newNightlySync(t, apptest.PickSize(2, 2, 20))
	copies := filepath.Join(n.folder, "copy", "plays")
	setMode := func(mode string) { n.Exec(`update organisations set reporting_mode = $1`, mode) }
	for i := range apptest.PickSize(9, 9, 30) {
		n.changePlays()
		switch i {
		case 0: // the first day becomes an earlier one on the same night
			program := n.program
			n.program = strings.Replace(program, `START = "2024`, `START = "2025`, 1)
			n.requireExit(0, "")
			n.program = program
		case 3: // the reporting mode changes between HEAD and GET
			n.interfere = func(forward func()) {
				setMode("nominative")
				forward()
				setMode("pseudonymous")
			}
		case 4: // copies whose size is not that of copies.csv are read again
			require.NoError(t, os.Truncate(filepath.Join(copies, n.forks[0].ID+".csv"), 500))
			require.NoError(t, os.Remove(filepath.Join(copies, n.forks[1].ID+".csv")))
		case 5: // transfers break off
			n.interfere = func(func()) { panic(http.ErrAbortHandler) }
		case 6:
			setMode("nominative")
		case 7:
			setMode("pseudonymous")
		}
		if n.interfere != nil {
			n.requireExit(1, "")
			names, _ := exec.CommandContext(t.Context(), "grep", "-rl", "Player ", copies).Output()
			require.Empty(t, string(names), "a copy under pseudonyms has names")
			n.interfere = nil
		}
		n.requireExit(0, "")
		n.requireEqualCopy()
		n.night = n.night.AddDate(0, 0, 1)
	}
	exports := func() int { return n.CountRows(`audit_entries where action = 'export.started'`) }
	before := exports() // the next night has no changes
	n.requireExit(0, "")
	require.Equal(t, before, exports(), "no month differs")
	n.program = strings.Replace(n.program, `START = "2024-01`, `START = "2024-06`, 1)
	n.requireExit(2, "the copy has plays before 2024-06-01")
	require.Contains(t, apptest.ReadFile(t, n.folder, "copy", "tags.csv"), ",2024-01,")
}

// With the key of another organisation, or of one without forks, the sync does not change the copy.
func TestNightlySyncCopiesOneOrganisation(t *testing.T) {
	t.Parallel()
	n := newNightlySync(t, 2)
	n.Exec(`update forks set title = ' =1+1;"+2', created_at = '2023-12-31Z' where id = $1`, n.forks[1].ID)
	copiedFiles := func() []string {
		return tb.Must(filepath.Glob(filepath.Join(n.folder, "copy", "plays", "*")))(t)
	}
	n.requireExit(0, "INFO 1 of the forks began before 2024-01-01")
	require.Len(t, copiedFiles(), 2)
	require.Contains(t, apptest.ReadFile(t, n.folder, "copy", "forks.csv"), `"' =1+1;'""+2"`)

	keys := n.keys
	otherOrg := n.AddOrganisation(testkit.Organisation{}).ID
	n.keys = []testkit.Key{n.AddKey(otherOrg)}
	n.requireExit(3, "no fork, nothing is deleted")
	n.AddFork(testkit.Fork{OrganisationID: otherOrg})
	n.requireExit(2, "is it another organisation's?")
	require.Len(t, copiedFiles(), 2)

	n.keys = keys
	n.Exec(`delete from plays where fork_id = $1`, n.forks[0].ID)
	n.Exec(`delete from forks where id = $1`, n.forks[0].ID)
	n.requireExit(0, "")
	require.Equal(t, []string{filepath.Join(n.folder, "copy", "plays", n.forks[1].ID+".csv")}, copiedFiles())
}
