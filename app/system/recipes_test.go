package system

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// allRecipes reports whether to run recipes that need R, DuckDB, psql or npm (make recipes).
var allRecipes = os.Getenv("DG_RECIPES") == "1"

// cookbook is the demo with its documentation, as one of its people reads it.
type cookbook struct {
	*demoServed
	reader *apptest.WebClient
	fork   string
	group  string // one of which too few play
	// The recipes read from year until today. From two years ago, that is two periods.
	year  string
	from  string
	today time.Time
}

func newCookbook(t *testing.T) *cookbook {
	t.Helper()
	b := &cookbook{demoServed: serveDemo(t)}
	b.reader = apptest.NewWebClient(t, b.URL).
		SignIn(apptest.DemoAccount(t, "maren@harbour.example.com"))
	b.group = apptest.Read[string](t, b.db,
		`select id::text from player_groups where name = 'Night shift, gate 4'`)
	script := b.recipe("curl")
	b.fork = apptest.RegexpGroup(t, `fork="" +# such as ([0-9a-f-]{36})`, script)
	b.year = apptest.RegexpGroup(t, `from=([0-9-]{10})`, script)
	b.today = time.Now().UTC().Truncate(24 * time.Hour)
	b.from = b.today.AddDate(-2, 0, 0).Format(time.DateOnly)
	return b
}

// forgetRequests resets the rate limit, which all recipes together would exceed. busyService tests
// the limit.
func (b *cookbook) forgetRequests(t *testing.T) {
	t.Helper()
	b.db.Do(t, `delete from api_key_windows`)
}

var recipeText = regexp.MustCompile(`(?s)<code id="recipe">(.*?)</code></pre>`)

// recipe copies a recipe from its page.
func (b *cookbook) recipe(id string) string { return recipeOf(b.reader, id) }

func recipeOf(reader *apptest.WebClient, id string) string {
	page := reader.Get("/docs/recipes/" + id)
	return html.UnescapeString(apptest.RegexpGroup(reader.T, recipeText.String(), page))
}

func readCSV(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"playerKey", "scorePercent"}, []string{rows[0][3], rows[0][9]})
	return rows
}

// figuresOf formats the figures of the rows as the recipes print them. rows include the header.
func figuresOf(rows [][]string) string {
	players := map[string]bool{}
	completed := 0
	sum := 0.0
	for _, row := range rows[1:] {
		players[row[3]] = true
		if score, err := strconv.ParseFloat(row[9], 64); err == nil {
			completed++
			sum += score
		}
	}
	return fmt.Sprintf("%d plays, %d players, %d completed, average score %.2f", len(rows)-1,
		len(players), completed, sum/float64(completed))
}

// busyService forwards to dg. The first request is answered 429 until a date. Every other answer says
// that no request is left, except exports, which have another column and no RateLimit.
type busyService struct {
	*httptest.Server
	mu    sync.Mutex
	times []time.Time
	asked []string // the last part of each path
}

func newBusyService(t *testing.T, base string) *busyService {
	t.Helper()
	to, err := url.Parse(base)
	require.NoError(t, err)
	s := &busyService{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(r *http.Response) error {
			r.Header.Set("RateLimit", `"key";r=0;t=1`)
			if !strings.HasSuffix(r.Request.URL.Path, "/csv") {
				return nil
			}
			r.Header.Del("RateLimit")
			rows, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(rows), "\n", ",1\n")))
			return err
		},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.times = append(s.times, time.Now())
		s.asked = append(s.asked, path.Base(r.URL.Path))
		first := len(s.times) == 1
		s.mu.Unlock()
		if first {
			w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
			http.Error(w, `{"code": "resource-exhausted"}`, http.StatusTooManyRequests)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// cookedRecipe is how a recipe is run. In the command, FILE stands for the recipe, DRIVERS for
// testdata/recipes.
type cookedRecipe struct {
	id, file, command string
	needs             string // tried first: a recipe whose tool is absent is skipped
	all               bool   // only with make recipes
}

// with sets a recipe's empty variable, such as FORK or group_id, to the value.
func with(t *testing.T, text, name, value string) string {
	t.Helper()
	at := regexp.MustCompile(`(?im)^(.*\b` + name + `(?:_id)?\s*(?:=|<-|)\s*)(?:""|''|NULL)`).
		FindStringSubmatchIndex(text)
	require.NotNil(t, at)
	quote := strings.ReplaceAll(text[at[1]-1:at[1]], "L", `"`)
	return text[:at[3]] + quote + value + quote + text[at[1]:]
}

// What the documentation's pages hold is copied from them, as their reader has it, and run.
func TestRecipes(t *testing.T) {
	t.Parallel()
	b := newCookbook(t)
	t.Run("grafana", func(t *testing.T) { checkGrafana(t, b) })
	t.Run("tables", func(t *testing.T) { checkTables(t, b) })
	t.Run("power query", func(t *testing.T) { checkPowerQuery(t, b) })
	t.Run("nightly sync", func(t *testing.T) { checkNightlySync(t, b) })
	t.Run("redirects", func(t *testing.T) { checkRedirects(t, b) })
	t.Run("quickstart", func(t *testing.T) { checkQuickstart(t, b) })
}

// requireHidden requires that a recipe fails for a hidden group and says why: no figure and no file
// looks as if the group had not played (rules.md, Anonymity).
func (b *cookbook) requireHidden(t *testing.T, r cookedRecipe) {
	t.Helper()
	folder := t.TempDir()
	out, err := r.start(t, folder, with(t, b.recipe(r.id), "group", b.group), b.token)
	require.Error(t, err, "%s", out)
	require.Contains(t, out, "fewer than 5 members of the group played. This is not zero")
	require.NotContains(t, out, "0 plays")
	require.NoFileExists(t, filepath.Join(folder, "plays.csv"))
}

// skipIfAbsent skips a recipe whose tool is not here.
func (r cookedRecipe) skipIfAbsent(t *testing.T) {
	t.Helper()
	if r.all && !allRecipes {
		t.Skip("SKIPPED: make recipes runs it")
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", withPython(r.needs)).
		CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %s: %v %s", r.needs, err, out)
	}
}

// withPython puts in the Python that has pandas, if one of the usual ones has.
func withPython(command string) string {
	return strings.ReplaceAll(command, "PYTHON", python())
}

var python = sync.OnceValue(func() string {
	if exec.Command("/usr/bin/python3", "-c", "import matplotlib, pandas, requests").Run() == nil {
		return "/usr/bin/python3"
	}
	return "python3"
})

// run runs the recipe in the folder and returns what it printed.
func (r cookedRecipe) run(t *testing.T, folder, text, key string) string {
	t.Helper()
	out, err := r.start(t, folder, text, key)
	require.NoError(t, err, "%s", out)
	return out
}

// start runs the recipe in the folder and returns what it printed, and how it ended.
func (r cookedRecipe) start(t *testing.T, folder, text, key string) (string, error) {
	t.Helper()
	file := filepath.Join(folder, r.file)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	drivers, err := filepath.Abs("testdata/recipes")
	require.NoError(t, err)
	header := fmt.Sprintf("header = \"Authorization: Bearer %s\"\n", key)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "dg.curl"), []byte(header), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "key.txt"), []byte(key), 0o600))
	command := strings.NewReplacer("FILE", r.file, "DRIVERS", drivers).
		Replace(withPython(r.command))
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Dir = folder
	c.Env = append(apptest.CleanEnvironment(), "DG_KEY="+key, "DG_KEY_FILE=key.txt")
	out, err := c.CombinedOutput()
	return string(out), err
}
