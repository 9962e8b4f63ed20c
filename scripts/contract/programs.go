package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// program is run in a folder with its file in it. Its destination has old, until it has a whole answer.
type program struct {
	file        string // below web/docs/recipes
	command     string // TABLE_PSQL is a connection as the owner of a database
	needs       string // a command that succeeds where the program can run
	destination string // a file or folder; a command that asks a database; "": the program's output
	short       bool   // a Start snippet: only keys, wrong 200, redirects and resets
	byCurl      bool   // its requests are those of curl: see condition.ours
}

const (
	inPostgres = `psql -qtA "$TABLE_PSQL" -c "select distinct skills from dg_plays where skills = '` + old + `'"`
	inDuckDB   = "duckdb -csv -noheader dg.db -c \"select distinct skills from plays where skills = '" + old + "'\""
	markOld    = `psql -q "$TABLE_PSQL" -c "update dg_plays set skills = '` + old + `'"`
)

// prepared puts old into a destination that is a database.
var prepared = map[string]string{
	inPostgres: markOld,
	inDuckDB:   "duckdb dg.db -c \"create table plays as select '" + old + "' as skills\"",
}

var programs = []program{
	{"dg.sh", "bash dg.sh", "curl --version && jq --version", "plays.csv", false, false},
	{"dg.py", "python3 dg.py", "python3 -c 'import matplotlib, pandas, requests'", "", false, false},
	{"dg.mjs", "node dg.mjs", "node --version", "", false, false},
	{"dg.psql", `psql "$TABLE_PSQL" -f dg.psql`, `psql -q "$TABLE_PSQL" -c 'drop schema if exists warehouse cascade; ` +
		`create schema warehouse'`, inPostgres, false, true},
	{"dg.duckdb.sql", "duckdb -bail dg.db -f dg.duckdb.sql", "duckdb --version", inDuckDB, false, true},
	{"dg.R", "Rscript dg.R", "Rscript -e 'library(httr2); library(jsonlite); library(readr)'", "", false, false},
	{"sync.py", "DG_KEY_FILE=key.txt python3 sync.py --dest csv --to copy", "python3 --version",
		"copy/plays", false, false},
	{"start/csv.sh", "bash first.sh", "curl --version", "plays.csv", true, false},
	{"start/csv.py", "python3 first.py", "python3 -c 'import requests'", "plays.csv", true, false},
	{"start/csv.mjs", "node first.mjs", "node --version", "plays.csv", true, false},
	{"start/csv.R", "Rscript first.R", "Rscript -e 'library(httr2)'", "plays.csv", true, false},
	{"start/csv.php", "php first.php", "php -r 'curl_init();'", "plays.csv", true, false},
	{"start/stats.sh", "bash first.sh", "curl --version", "", true, false},
	{"start/stats.py", "python3 first.py", "python3 -c 'import requests'", "", true, false},
	{"start/stats.mjs", "node first.mjs", "node --version", "", true, false},
	{"start/stats.R", "Rscript first.R", "Rscript -e 'library(httr2)'", "", true, false},
}

const (
	header  = "playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,"
	timeout = 90 * time.Second
	old     = "as it was"
)

// table runs the programs of /docs behind a hostile middle and prints a table, program by condition. A
// cell is red if a program ends with 0 although the answer was wrong, if its destination changed, or if
// it printed the key.
type table struct {
	base, recipes, key string
	red                atomic.Int32
}

// runTable runs two rows at once, against the demo at base. TABLE_ONLY has the names of programs, or
// nothing.
func runTable(base, key, recipes string) error {
	t := &table{base: base, key: key, recipes: recipes}
	only := strings.Fields(os.Getenv("TABLE_ONLY"))
	var rows errgroup.Group
	rows.SetLimit(2)
	for _, p := range programs {
		if len(only) > 0 && !slices.Contains(only, p.file) {
			continue
		}
		rows.Go(func() error { return t.row(p) })
	}
	if err := rows.Wait(); err != nil {
		return err
	}
	if n := t.red.Load(); n > 0 {
		return fmt.Errorf("%d cells are red", n)
	}
	return nil
}

func (t *table) row(p program) error {
	if !succeeds(p.needs) {
		fmt.Fprintf(os.Stdout, "%-16s NOT RUN: %s\n", p.file, p.needs)
		return nil
	}
	m, err := listen(t.base)
	if err != nil {
		return err
	}
	for _, c := range conditions {
		// Programs without a destination that are short read no CSV.
		if p.short && !c.short || c.csv && p.destination == "" && p.short || p.byCurl && c.ours {
			continue
		}
		began := time.Now()
		why, err := t.cell(m, p, c)
		if err != nil {
			return err
		}
		verdict := "right"
		if why != "" {
			verdict = "RED " + why
			t.red.Add(1)
		}
		fmt.Fprintf(os.Stdout, "%-16s %-28s %4.1f s  %s\n", p.file, c.name, time.Since(began).Seconds(), verdict)
	}
	return nil
}

func succeeds(command string) bool {
	return exec.Command("sh", "-c", command).Run() == nil //nolint:noctx // the table's own command
}

// cell returns what is wrong, or "".
func (t *table) cell(m *middle, p program, c condition) (wrong string, err error) {
	folder, err := os.MkdirTemp("", "contract table é") // a path with blanks, not ASCII
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	key := t.key
	if c.key != nil {
		key = c.key(t.key)
	}
	if err := t.fill(folder, m.url, key, p, c); err != nil {
		return "", err
	}
	m.set(c)
	if reset := os.Getenv("TABLE_RESET"); reset != "" { // of the rate limit, which the cells together exceed
		out, err := exec.Command("sh", "-c", reset).CombinedOutput() //nolint:noctx // the caller's
		if err != nil {
			return "", fmt.Errorf("%s: %w: %s", reset, err, out)
		}
	}
	if prepare := prepared[p.destination]; prepare != "" {
		command := exec.Command("sh", "-c", prepare) //nolint:noctx // the table's own command
		command.Dir = folder
		_ = command.Run() // fails in PostgreSQL before the first cell has made the table
	}
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	command := exec.CommandContext(ctx, "sh", "-c", p.command)
	command.Dir = folder
	command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "DG_")
	}), "HOME="+folder, "DG_KEY="+key, "DG_KEY_FILE="+filepath.Join(folder, "key.txt"), "MPLBACKEND=Agg")
	command.Env = append(command.Env, c.env...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what the shell starts ends with it
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	out, failed := command.CombinedOutput()
	return t.judge(m, p, c, folder, out, failed), nil
}

// fill writes the program and the files that it reads. The program calls url.
func (t *table) fill(folder, url, key string, p program, c condition) error {
	text, err := os.ReadFile(filepath.Join(t.recipes, p.file))
	if err != nil {
		return err
	}
	program := strings.ReplaceAll(string(text), "https://dg.example.org", url)
	today := time.Now().UTC()
	program = lastDays.ReplaceAllString(program, today.Format(time.DateOnly))
	program = strings.ReplaceAll(program, "2 ** attempt", "attempt / 9") // waits after a lost connection are scaled
	program = strings.ReplaceAll(program, "(tries) 5", "(tries) 0.5")
	program = firstDays.ReplaceAllString(program, today.AddDate(0, 0, -40).Format(time.DateOnly))
	name := filepath.Base(p.file)
	if p.short {
		name = "first" + filepath.Ext(name) // csv.py would hide Python's own
	}
	files := map[string]string{name: program, "key.txt": key,
		"dg.curl": fmt.Sprintf("header = \"Authorization: Bearer %s\"\n", t.key)}
	if c.file != "" {
		files[c.file] = "machine 127.0.0.1 login x password y\n"
		if c.file == ".curlrc" {
			files[c.file] = "header = \"Authorization: Bearer other\"\n"
		}
	}
	if strings.HasSuffix(p.destination, ".csv") {
		files[p.destination] = old
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// The periods of the programs become the last forty days.
var (
	firstDays = regexp.MustCompile(`2025-04-01|2024-01-01|2026-03-01`)
	lastDays  = regexp.MustCompile(`2026-03-02`)
)

func (t *table) judge(m *middle, p program, c condition, folder string, out []byte, failed error) string {
	secret := t.key[strings.LastIndex(t.key, "_")+1:]
	waited := m.at[1].Sub(m.at[0])
	switch {
	case bytes.Contains(out, []byte(secret)):
		return "it printed the key"
	case m.elsewhere.Load() > 0:
		return "a request went to another host"
	case failed != nil && c.works && (!p.short || !c.unlessShort):
		return fmt.Sprintf("failed: %v: %.160q", failed, tail(out))
	case c.waits > 0 && (waited < c.waits || waited > c.waits+6*time.Second):
		return fmt.Sprintf("asked again after %s", waited)
	case !bytes.Contains(out, []byte(c.says)):
		return fmt.Sprintf("does not say %q: %.160q", c.says, tail(out))
	case c.says != "" && m.attempts != 8:
		return fmt.Sprintf("%d tries", m.attempts)
	case failed == nil && !c.works && !c.either:
		return fmt.Sprintf("ended with 0: %.120q", tail(out))
	}
	if p.destination == "" {
		return ""
	}
	stored := read(filepath.Join(folder, p.destination))
	if prepared[p.destination] != "" {
		ask := exec.Command("sh", "-c", p.destination) //nolint:noctx // the table's own command
		ask.Dir = folder
		rows, _ := ask.Output()
		stored = cmp.Or(strings.TrimSpace(string(rows)), header)
	}
	switch {
	case failed != nil && stored != old && hasRows(stored):
		return "the destination changed"
	case failed == nil && !strings.HasPrefix(stored, header):
		return fmt.Sprintf("the destination is no export: %.60q", stored)
	}
	return ""
}

// hasRows leaves out header rows: a fork without plays may be whole while another one failed.
func hasRows(stored string) bool {
	return slices.ContainsFunc(strings.Split(stored, "\n"), func(line string) bool {
		return line != "" && !strings.HasPrefix(line, header)
	})
}

// read returns the content of a file, or of the files in a folder.
func read(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		content, _ := os.ReadFile(path)
		return string(content)
	}
	var all []string
	names, _ := filepath.Glob(filepath.Join(path, "*.csv"))
	for _, name := range names {
		all = append(all, read(name))
	}
	return strings.Join(all, "")
}

func tail(out []byte) []byte { return out[max(0, len(out)-160):] }

func copyHeader(to, from http.Header) {
	for name, values := range from {
		if name != "Content-Length" {
			to[name] = values
		}
	}
}
