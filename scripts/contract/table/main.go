// Command table runs the programs of /docs behind a hostile middle and prints a table, program by
// condition. `make contract` runs it: table BASE KEY, with the demo at BASE. A cell is red if a program
// ends with 0 although the answer was wrong, if its destination changed, or if it printed the key.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// program is run in an empty folder with its file in it. Its destination has old, until it has a whole
// answer.
type program struct {
	file        string // below web/docs/recipes
	command     string
	needs       string // a command that succeeds where the program can run
	destination string // "": the program's output
	short       bool   // a Start snippet: only keys, wrong 200, redirects and resets
}

var programs = []program{
	{"dg.sh", "bash dg.sh", "curl --version && jq --version", "plays.csv", false},
	{"dg.py", "python3 dg.py", "python3 -c 'import matplotlib, pandas, requests'", "", false},
	{"dg.mjs", "node dg.mjs", "node --version", "", false},
	{"dg.R", "Rscript dg.R", "Rscript -e 'library(httr2); library(jsonlite); library(readr)'", "", false},
	{"sync.py", "DG_KEY_FILE=key.txt python3 sync.py --dest csv --to copy", "python3 --version",
		"copy/plays", false},
	{"start/csv.sh", "bash csv.sh", "curl --version", "plays.csv", true},
	{"start/csv.py", "python3 csv.py", "python3 -c 'import requests'", "plays.csv", true},
	{"start/csv.mjs", "node csv.mjs", "node --version", "plays.csv", true},
	{"start/csv.php", "php csv.php", "php -r 'curl_init();'", "plays.csv", true},
	{"start/stats.sh", "bash stats.sh", "curl --version", "", true},
	{"start/stats.py", "python3 stats.py", "python3 -c 'import requests'", "", true},
	{"start/stats.mjs", "node stats.mjs", "node --version", "", true},
}

const (
	header  = "playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,"
	timeout = 90 * time.Second
	old     = "as it was"
)

type table struct {
	middle      *middle
	recipes     string
	key, folder string
	red         int
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("table BASE KEY RECIPES")
	}
	m, err := listen(args[0])
	if err != nil {
		return err
	}
	t := &table{middle: m, key: args[1], recipes: args[2]}
	for _, p := range programs {
		if exec.Command("sh", "-c", p.needs).Run() != nil { //nolint:gosec,noctx // the table's own command
			fmt.Printf("%-16s NOT RUN: %s\n", p.file, p.needs)
			continue
		}
		if err := t.row(p); err != nil {
			return err
		}
	}
	if t.red > 0 {
		return fmt.Errorf("%d cells are red", t.red)
	}
	return nil
}

func (t *table) row(p program) error {
	var green, red []string
	for _, c := range conditions {
		if p.short && !c.short || c.csv && p.destination == "" && p.short {
			continue
		}
		why, err := t.cell(p, c)
		if err != nil {
			return err
		}
		if why != "" {
			red = append(red, c.name+": "+why)
			continue
		}
		green = append(green, c.name)
	}
	t.red += len(red)
	fmt.Printf("%-16s %2d right: %s\n", p.file, len(green), strings.Join(green, ", "))
	for _, r := range red {
		fmt.Printf("%-16s RED %s\n", "", r)
	}
	return nil
}

// cell returns what is wrong, or "".
func (t *table) cell(p program, c condition) (wrong string, err error) {
	folder, err := os.MkdirTemp("", "contract table é") // a path with blanks, not ASCII
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	text, err := os.ReadFile(filepath.Join(t.recipes, p.file)) //nolint:gosec // a file of this tree
	if err != nil {
		return "", err
	}
	program := strings.ReplaceAll(string(text), "https://dg.example.org", t.middle.url)
	today := time.Now().UTC()
	program = lastDays.ReplaceAllString(program, today.Format(time.DateOnly))
	program = firstDays.ReplaceAllString(program, today.AddDate(0, 0, -40).Format(time.DateOnly))
	key := t.key
	if c.key != nil {
		key = c.key(t.key)
	}
	files := map[string]string{filepath.Base(p.file): program, "key.txt": key}
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
			return "", err
		}
	}
	t.middle.set(c)
	if reset := os.Getenv("TABLE_RESET"); reset != "" { // of the rate limit, which the cells together exceed
		if out, err := exec.Command("sh", "-c", reset).CombinedOutput(); err != nil { //nolint:gosec,noctx // the caller's
			return "", fmt.Errorf("%s: %w: %s", reset, err, out)
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	command := exec.CommandContext(ctx, "sh", "-c", p.command) //nolint:gosec // the table's own command
	command.Dir = folder
	command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "DG_")
	}), "HOME="+folder, "DG_KEY="+key, "DG_KEY_FILE="+filepath.Join(folder, "key.txt"), "MPLBACKEND=Agg")
	command.Env = append(command.Env, c.env...)
	out, failed := command.CombinedOutput()
	return t.judge(p, c, folder, out, failed), nil
}

// The periods of the programs become the last forty days.
var (
	firstDays = regexp.MustCompile(`2025-04-01|2024-01-01|2026-03-01`)
	lastDays  = regexp.MustCompile(`2026-03-02`)
)

func (t *table) judge(p program, c condition, folder string, out []byte, failed error) string {
	secret := t.key[strings.LastIndex(t.key, "_")+1:]
	switch {
	case bytes.Contains(out, []byte(secret)):
		return "it printed the key"
	case t.middle.elsewhere.Load() > 0:
		return "a request went to another host"
	case failed != nil && c.works:
		return fmt.Sprintf("failed: %v: %.160q", failed, tail(out))
	case failed == nil && !c.works && !c.either:
		return fmt.Sprintf("ended with 0: %.120q", tail(out))
	}
	if p.destination == "" {
		return ""
	}
	stored := read(filepath.Join(folder, p.destination))
	switch {
	case failed != nil && stored != "" && stored != old:
		return "the destination changed"
	case failed == nil && !strings.HasPrefix(stored, header):
		return fmt.Sprintf("the destination is no export: %.60q", stored)
	}
	return ""
}

// read returns the content of a file, or of the files in a folder.
func read(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		content, _ := os.ReadFile(path) //nolint:gosec // a file of the cell
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

func discard(body io.ReadCloser) { _ = body.Close() }
