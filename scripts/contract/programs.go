package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
	"golang.org/x/sync/errgroup"
)

// program runs in a folder that contains its file. Its destination contains oldText until the whole answer has arrived.
type program struct {
	File         string // path below web/docs/recipes
	Name         string // name of the table's row; "": File
	Command      string // shell command; TABLE_PSQL is a connection as a database's owner
	Needs        string // a command that succeeds where the program can run
	Destination  string // the file or folder that the program writes; "": it prints
	ReadStored   string `yaml:"readStored"` // a command that prints what a database has stored
	Prepare      string // a command that puts oldText into a database
	Chart        string // the file with the program's chart
	ReadPlays    string `yaml:"readPlays"` // a command that prints ids and labels of the stored plays, or an export
	Append       string // code for the program's end: saves ids and labels of its plays as rows.csv
	Client       string // the folder of a generated client in TABLE_CLIENTS
	Snippet      bool   // a snippet of recipes/start, as on the page Quickstart: only conditions with forSnippets apply
	ByCurl       bool   `yaml:"byCurl"`       // it sends requests by curl: see condition.excludesCurl
	SameRequests bool   `yaml:"sameRequests"` // another row sends the same: conditions on keys and waits do not apply
	// name of an environment of Python, and its folder of programs
	Python, Bin string
}

//go:embed programs.yaml
var programsFile []byte

const (
	csvHeader = "playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,"
	timeout   = 150 * time.Second
	oldText   = "as it was"
)

// recipeTable runs the programs of /docs behind a hostile proxy and prints a table, program by condition. A
// cell is red if problemOf or compare finds a fault: for example, a program ends with 0 although the
// answer was wrong, its destination lacks a play, or it prints the key.
type recipeTable struct {
	base, recipes        string
	keys                 map[string]string // keys by condition.keyOwner
	rightCells, redCells atomic.Int32
	expectedRows         sync.Map // results of wantedRows by their arguments
}

// runTable runs four rows at once, against the demo at base. TABLE_ONLY has names of rows, separated by commas;
// empty means all. TABLE_CONDITIONS is a pattern for names of conditions. TABLE_PYTHONS has environments of
// Python, such as debian=/usr/bin.
func runTable(base, key, recipes string) error {
	secret := key[strings.LastIndex(key, "_")+1:]
	table := &recipeTable{base: base, recipes: recipes, keys: map[string]string{"": key}}
	for name, idLetter := range map[string]string{"none": "n", "one": "o", "zero": "z", "names": "r"} { // see table.sql
		table.keys[name] = "dg_live_" + strings.Repeat(idLetter, 22) + "_" + secret
	}
	interrupted := make(chan os.Signal, 1) // a program whose parent ignores SIGINT would ignore it too
	signal.Notify(interrupted, os.Interrupt)
	go func() { <-interrupted; os.Exit(1) }()
	var programs []program
	if err := yaml.UnmarshalWithOptions(programsFile, &programs, yaml.Strict()); err != nil {
		return err
	}
	var rows errgroup.Group
	rows.SetLimit(4)
	for _, p := range programs {
		p.Name = cmp.Or(p.Name, p.File)
		if only := os.Getenv("TABLE_ONLY"); only != "" && !slices.Contains(strings.Split(only, ","), p.Name) {
			continue
		}
		environments := strings.Fields(cmp.Or(os.Getenv("TABLE_PYTHONS"), "any="))
		if !strings.HasSuffix(p.File, ".py") {
			environments = []string{"any="}
		}
		for i, environment := range environments {
			row := p
			row.SameRequests = p.SameRequests || i > 0
			row.Python, row.Bin, _ = strings.Cut(environment, "=")
			rows.Go(func() error { return table.runRow(row) })
		}
	}
	if err := rows.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%d cells are right, %d red\n", table.rightCells.Load(), table.redCells.Load())
	if n := table.redCells.Load(); n > 0 {
		return fmt.Errorf("%d cells are red", n)
	}
	return nil
}

// skips reports whether the row of p has no cell for c.
func (p program) skips(c condition) bool {
	return !regexp.MustCompile(os.Getenv("TABLE_CONDITIONS")).MatchString(c.name) ||
		p.Snippet && !c.forSnippets || p.ByCurl && c.excludesCurl || c.needsLocales && os.Getenv("LOCPATH") == "" ||
		c.onlyCSV && p.Destination+p.ReadStored == "" && p.Snippet || // the program reads no CSV
		c.excludesPrinting && p.Destination+p.ReadStored == "" && strings.HasPrefix(p.Command, "bash") ||
		c.noKey && strings.HasPrefix(p.File, "sync") || // the command names the file with the key
		(c.groupID != "" || c.periodDays < 0 || c.omitsBar) && strings.HasPrefix(p.File, "sync") ||
		c.crlf && strings.HasPrefix(p.Command, "bash") ||
		p.SameRequests && (c.changeKey != nil || c.minWait > 0 || c.wantRequests > 0 || c.homeFile != "") ||
		p.Client != "" && (c.periodDays != 0 || c.keyOwner != "" && c.keyOwner != "zero" ||
			c.groupID != "" || c.crlf) // these programs always export the last month
}

func (t *recipeTable) runRow(p program) error {
	label := p.Name
	if p.Bin != "" {
		label += " " + p.Python
	}
	needs := cmp.Or(p.Needs, `test -f "$TABLE_CLIENTS/`+p.Client+`/whole.csv"`)
	if runs := p.shell(context.Background(), "", needs).Run() == nil; !runs {
		fmt.Fprintf(os.Stdout, "%-24s NOT RUN: %s\n", label, needs)
		return nil
	}
	proxy, err := startProxy(t.base)
	if err != nil {
		return err
	}
	proxy.resetSuffix = "/csv"
	if p.Snippet && p.Destination+p.ReadStored == "" {
		proxy.resetSuffix = "/stats"
	}
	for _, c := range conditions {
		if p.skips(c) {
			continue
		}
		began := time.Now()
		verdict, err := t.runCell(proxy, p, c)
		switch {
		case err != nil:
			return err
		case verdict == "":
			verdict = "right"
			t.rightCells.Add(1)
		case verdict != notMounted:
			verdict = "RED " + verdict
			t.redCells.Add(1)
		}
		fmt.Fprintf(os.Stdout, "%-24s %-28s %4.1f s  %s\n", label, c.name, time.Since(began).Seconds(), verdict)
	}
	return nil
}

// shell returns a shell command that runs in a folder, which is also its home.
func (p program) shell(ctx context.Context, folder, text string) *exec.Cmd {
	command := exec.CommandContext(ctx, "sh", "-c", text)
	command.Dir = folder
	command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "DG_")
	}), "HOME="+folder, "MPLBACKEND=Agg", "TABLE_PYTHON="+p.Python,
		"PATH="+strings.TrimPrefix(p.Bin+":"+os.Getenv("PATH"), ":"))
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a process group, which Cancel kills
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	return command
}

const notMounted = "NOT RUN: a small disk needs root"

// runCell runs a program under a condition, and returns its fault, or "".
func (t *recipeTable) runCell(proxy *recipeProxy, p program, c condition) (problem string, err error) {
	folder, err := os.MkdirTemp("", "contract 'table\" é") // the path shows which programs quote it wrongly
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if c.diskFull || c.readOnly {
		if exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder).Run() != nil {
			return notMounted, nil
		}
		defer func() { _ = exec.Command("umount", "-l", folder).Run() }() //nolint:noctx // after its end
	}
	key := t.keys[c.keyOwner]
	if c.changeKey != nil {
		key = c.changeKey(key)
	}
	if err := t.fill(folder, proxy.url, key, p, c); err != nil {
		return "", err
	}
	proxy.setCondition(c)
	// TABLE_RESET resets the rate limit, which the cells together exceed
	if out, err := exec.CommandContext(ctx, "sh", "-c", os.Getenv("TABLE_RESET")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("TABLE_RESET: %w: %s", err, out)
	}
	_ = p.shell(ctx, folder, p.Prepare).Run() // the recipe for PostgreSQL fails until a run has created its table
	if c.diskFull {                           // fill the disk except for one page
		_ = exec.CommandContext(ctx, "sh", "-c", `cat /dev/zero >"$0/ballast"; truncate -s -4096 "$0/ballast"`, folder).Run()
	}
	if c.readOnly && exec.CommandContext(ctx, "mount", "-o", "remount,ro", folder).Run() != nil {
		return notMounted, nil
	}
	runs := make([]run, 1, 2)
	if c.runsTwice {
		runs = runs[:2]
	}
	for i := range runs {
		command := p.shell(ctx, folder, p.Command)
		if !c.noKey {
			command.Env = append(command.Env, "DG_KEY="+key, "DG_KEY_FILE="+filepath.Join(folder, "key.txt"))
		}
		command.Env = append(command.Env, c.env...)
		command.Stdout, command.Stderr = &runs[i].out, &runs[i].out
		if err := command.Start(); err != nil {
			return "", err
		}
		runs[i].command = command
		proxy.interrupt.Store(func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGINT) })
	}
	reported := &runs[0]
	for i := range runs {
		runs[i].err = runs[i].command.Wait()
		if runs[i].err == nil {
			reported = &runs[i]
		} else if c.runsTwice && runs[i].out.Len() == 0 {
			return "a run fails and says nothing", nil
		}
	}
	if ctx.Err() != nil {
		return "it does not end", nil
	}
	if c.runsTwice && reported.err != nil {
		return fmt.Sprintf("both runs fail: %.160q", lastBytes(reported.out.Bytes())), nil
	}
	problem = t.problemOf(proxy, p, c, folder, reported.out.Bytes(), reported.err)
	if problem != "" || p.ReadPlays == "" || c.omitsBar {
		return problem, nil
	}
	return t.compare(ctx, p, c, folder, reported.err)
}

// run is one execution of a program.
type run struct {
	command *exec.Cmd
	out     bytes.Buffer
	err     error
}

// compare returns how the stored plays and labels differ from those of the service, or "".
func (t *recipeTable) compare(
	ctx context.Context, p program, c condition, folder string, runErr error,
) (string, error) {
	stored, _ := p.shell(ctx, folder, p.ReadPlays).Output()
	rows := playRows(string(stored), "")
	if runErr != nil {
		if p.Destination+p.ReadStored == "" && len(rows) > 0 && !c.diskFull {
			return "it failed and stored plays", nil
		}
		return "", nil
	}
	today := time.Now().UTC()
	from, to, beforeDay := today.AddDate(0, 0, 1-cmp.Or(c.periodDays, 41)), today, ""
	if p.Client != "" {
		from = time.Date(today.Year(), today.Month()-1, 1, 0, 0, 0, 0, time.UTC)
		to = from.AddDate(0, 1, -1)
	}
	if strings.HasPrefix(p.File, "sync") {
		beforeDay = today.Format(time.DateOnly)
	}
	query := fmt.Sprintf("/exports/csv?from=%s&to=%s", from.Format(time.DateOnly), to.Format(time.DateOnly))
	query += strings.TrimSuffix("&groupId="+c.groupID, "&groupId=")
	want, err := t.wantedRows(ctx, t.keys[c.keyOwner], query, beforeDay, p.Client != "")
	if err != nil || slices.Equal(rows, want) {
		return "", err
	}
	missing := slices.DeleteFunc(slices.Clone(want), func(row string) bool { return slices.Contains(rows, row) })
	return fmt.Sprintf("%d plays in place of %d: lacks %.160q", len(rows), len(want), missing), nil
}

// exportForks prints the exports of all forks, or of the first fork if $3 is true.
const exportForks = `get() { curl -q -sS --fail -H "Authorization: Bearer $0" "$@"; }
get "$1" | jq -r ".items[:if $3 then 1 else null end][].id" | while read -r id; do get "$1/$id$2"; done`

// wantedRows returns the plays of all forks, or of the first one, as the service has them.
func (t *recipeTable) wantedRows(ctx context.Context, key, query, beforeDay string, onlyFirst bool) ([]string, error) {
	cacheKey := fmt.Sprint(key, query, beforeDay, onlyFirst)
	if rows, ok := t.expectedRows.Load(cacheKey); ok {
		return rows.([]string), nil
	}
	out, err := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", exportForks, key,
		t.base+"/api/v1/forks", query, strconv.FormatBool(onlyFirst)).Output()
	if err != nil {
		return nil, fmt.Errorf("read the plays: %w", err)
	}
	rows := playRows(string(out), beforeDay)
	t.expectedRows.Store(cacheKey, rows)
	return rows, nil
}

// playRows returns the id and label of each play in a CSV, sorted. The CSV has only these columns or is an export.
// Of an export it takes the plays that start before beforeDay, if set.
func playRows(text, beforeDay string) []string {
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord, reader.LazyQuotes = -1, true
	sorted := []string{}
	for {
		row, err := reader.Read()
		if err != nil {
			slices.Sort(sorted)
			return sorted
		}
		switch {
		case len(row) > 5 && len(row[0]) == 36 && (beforeDay == "" || row[5] < beforeDay):
			sorted = append(sorted, row[0]+" "+row[4])
		case len(row) == 2 && len(row[0]) == 36:
			sorted = append(sorted, row[0]+" "+row[1])
		}
	}
}

// fill writes the program and the files that it reads. The program calls url.
func (t *recipeTable) fill(folder, url, key string, p program, c condition) error {
	source, err := os.ReadFile(filepath.Join(t.recipes, p.File))
	if err != nil {
		return err
	}
	code := strings.ReplaceAll(string(source), "https://dg.example.org", url) + p.Append + "\n"
	today := time.Now().UTC()
	code = lastDayPattern.ReplaceAllString(code, today.Format(time.DateOnly))
	code = strings.ReplaceAll(code, "2 ** attempt", "attempt / 9") // waits after a lost connection are scaled
	code = strings.ReplaceAll(code, "(tries) 5", "(tries) 0.5")
	firstDay := today.AddDate(0, 0, 1-cmp.Or(c.periodDays, 41))
	code = firstDayPattern.ReplaceAllString(code, firstDay.Format(time.DateOnly))
	if c.exportStalls { // time limits are scaled like waits
		code = timeLimitPattern.ReplaceAllString(code, "${1}1")
		code = strings.ReplaceAll(code, "1_800_000", "3_000")
		code = strings.ReplaceAll(code, "30 * time.Minute", "3 * time.Second")
	}
	if c.groupID != "" {
		code = groupPattern.ReplaceAllString(code, "${1}'"+c.groupID+"'")
	}
	if c.crlf {
		code = strings.ReplaceAll(code, "\n", "\r\n")
	}
	name := filepath.Base(p.File)
	if p.Snippet || p.Client != "" {
		name = "first" + filepath.Ext(strings.TrimSuffix(name, ".txt")) // a csv.py would hide Python's module csv
	}
	files := map[string]string{name: code, "key.txt": key,
		"dg.curl": fmt.Sprintf("header = \"Authorization: Bearer %s\"\n", t.keys[c.keyOwner])}
	if c.homeFile != "" {
		files[c.homeFile] = "machine 127.0.0.1 login x password y\n"
		if c.homeFile == ".curlrc" {
			files[c.homeFile] = "header = \"Authorization: Bearer other\"\n"
		}
	}
	if strings.HasSuffix(p.Destination, ".csv") {
		files[p.Destination] = oldText
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// fill replaces these parts of a program, such as its first day.
var (
	timeLimitPattern = regexp.MustCompile(`(-y |timeout=|speed-time = |retry-delay = |low_speed_time = ` +
		`|LOW_SPEED_TIME => )[0-9]+`)
	groupPattern = regexp.MustCompile(`(?m)^(group=|GROUP = |const group = |group <- |\\set group ` +
		`|SET VARIABLE group_id = )(""|''|NULL)`)
	firstDayPattern = regexp.MustCompile(`2025-04-01|2024-01-01|2026-03-01`)
	lastDayPattern  = regexp.MustCompile(`2026-03-02`)
)

// problemOf returns the fault of a run, or "".
func (t *recipeTable) problemOf(
	proxy *recipeProxy, p program, c condition, folder string, out []byte, runErr error,
) string {
	key := t.keys[""]
	secret := key[strings.LastIndex(key, "_")+1:]
	waited := proxy.requestedAt[1].Sub(proxy.requestedAt[0])
	switch {
	case bytes.Contains(out, []byte(secret)):
		return "it printed the key"
	case proxy.redirectedRequests.Load() > 0:
		return "a request went to another host"
	case runErr != nil && c.wantSuccess:
		return fmt.Sprintf("failed: %v: %.160q", runErr, lastBytes(out))
	case c.minWait > 0 && (waited < c.minWait || waited > c.minWait+6*time.Second):
		return fmt.Sprintf("asked again after %s", waited)
	case !bytes.Contains(out, []byte(c.wantText)):
		return fmt.Sprintf("does not say %q: %.160q", c.wantText, lastBytes(out))
	case c.wantRequests > 0 && proxy.attempts != c.wantRequests:
		return fmt.Sprintf("%d tries", proxy.attempts)
	case c.omitsBar && p.Chart == "" && !regexp.MustCompile(` {40}[▁-█]{4,10}\s`).Match(out):
		return "the hidden year is no gap"
	case c.ownMessage && languageErrorPattern.Match(out):
		return fmt.Sprintf("speaks of itself: %.160q", lastBytes(out))
	case runErr == nil && p.Snippet && p.Destination == "" && !bytes.Contains(out, []byte(`"plays":`)):
		return fmt.Sprintf("prints no figures: %.120q", lastBytes(out))
	case runErr == nil && !c.wantSuccess && !c.mayFail:
		return fmt.Sprintf("ended with 0: %.120q", lastBytes(out))
	}
	if p.Chart != "" && runErr == nil {
		chart := strings.TrimSpace(readFile(filepath.Join(folder, p.Chart)))
		switch {
		case c.noWholeWeek && (chart != "" || !bytes.Contains(out, []byte("othing to draw"))):
			return "it does not say that there is nothing to draw"
		case !c.noWholeWeek && !strings.HasSuffix(chart, "</svg>") && !strings.HasSuffix(chart, "IEND\xaeB`\x82"):
			return "the chart is not whole"
		}
	}
	if p.Destination+p.ReadStored == "" {
		return ""
	}
	stored := readFile(filepath.Join(folder, p.Destination))
	if p.ReadStored != "" {
		rows, _ := p.shell(context.Background(), folder, p.ReadStored).Output()
		stored = cmp.Or(strings.TrimSpace(string(rows)), csvHeader)
	}
	switch {
	case runErr != nil && stored != oldText && hasRows(stored) && (!c.diskFull || p.Name != "sync.py"):
		return "the destination changed"
	case runErr == nil && p.ReadStored == "" && stored != "" && !strings.HasSuffix(stored, "\n"):
		return "the destination is cut"
	case runErr == nil && !strings.HasPrefix(stored, csvHeader) &&
		(c.periodDays != 1 && c.keyOwner != "zero" || !strings.HasPrefix(p.File, "sync")):
		return fmt.Sprintf("the destination is no export: %.60q", stored)
	}
	return ""
}

// languageErrorPattern matches error messages of languages, which a program must not leave to its user.
var languageErrorPattern = regexp.MustCompile(`Traceback|JSONDecodeError|SyntaxError|TypeError|Warning:|` +
	`Fatal error|parse error`)

// hasRows reports whether a file has rows besides headers. The header alone is no partial result: a
// fork may have no plays.
func hasRows(stored string) bool {
	return slices.ContainsFunc(strings.Split(stored, "\n"), func(line string) bool {
		return line != "" && !strings.HasPrefix(line, csvHeader)
	})
}

// readFile returns the content of a file, or of the files in a folder.
func readFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		content, _ := os.ReadFile(path)
		return string(content)
	}
	var contents []string
	names, _ := filepath.Glob(filepath.Join(path, "*.csv"))
	for _, name := range names {
		contents = append(contents, readFile(name))
	}
	return strings.Join(contents, "")
}

func lastBytes(out []byte) []byte { return out[max(0, len(out)-160):] }

func copyHeader(to, from http.Header) {
	for name, values := range from {
		if name != "Content-Length" {
			to[name] = values
		}
	}
}
