package system

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/commands"
	"dg/app/demo"
)

// program is dg as somebody runs it: its commands on one data folder, in this process.
type program struct {
	t   *testing.T
	dir string
	log apptest.Buffer
}

// run runs a command to its end and returns its status and output.
func (p *program) run(args ...string) (status int, output string) {
	p.t.Helper()
	var out apptest.Buffer
	// one that serves where it should not would do so for ever
	ctx, stop := context.WithTimeout(p.t.Context(), time.Minute)
	defer stop()
	status = commands.Run(ctx, append(args, "--data-dir", p.dir), commands.Stdio{
		Stdin:  strings.NewReader(""),
		Stdout: &out,
		Stderr: io.MultiWriter(&out, &p.log),
	})
	return status, out.String()
}

// serve starts dg serve and returns what it printed until it answered, and how to stop it.
func (p *program) serve(args ...string) (greeting string, stop func()) {
	p.t.Helper()
	if slices.Contains(args, "--demo") {
		apptest.CopyDemo(p.t, p.dir)
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- commands.Run(ctx,
			append(args, "--data-dir", p.dir, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
				"--shutdown-delay", "0s"),
			commands.Stdio{Stdin: strings.NewReader(""), Stdout: in, Stderr: &p.log})
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	for !strings.HasPrefix(greeting, "Serving on ") {
		line, err := lines.ReadString('\n')
		require.NoError(p.t, err, "dg serve ended: %s", p.log.String())
		greeting += line
	}
	if slices.Contains(args, "--demo") { // the rest of what it says ends with the curl line
		for !strings.Contains(greeting, "curl") {
			line, err := lines.ReadString('\n')
			require.NoError(p.t, err)
			greeting += line
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	stop = sync.OnceFunc(func() {
		cancel()
		assert.Equal(p.t, 0, <-ended, "%s", p.log.String())
	})
	p.t.Cleanup(stop)
	return greeting, stop
}

// paste runs the curl line of a greeting as a shell does.
func paste(t *testing.T, greeting string) (body string, status string) {
	t.Helper()
	line := apptest.CurlLine.FindStringSubmatch(greeting)
	require.NotNil(t, line, greeting)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line[1]+` -w '\n%{http_code}'`).
		Output()
	if _, missing := exec.LookPath("curl"); missing != nil {
		t.Skip("SKIPPED: there is no curl to paste the line into")
	}
	require.NoError(t, err, line[1])
	cut := bytes.LastIndexByte(out, '\n')
	return string(out)[:cut], string(out)[cut+1:]
}

// The printed curl line works as it is pasted. A second run keeps the data, replaces the key and
// prints a working line again.
func TestDemoRunsTwice(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: apptest.NewFolder(t)}
	first, stop := p.serve("serve", "--demo")
	body, status := paste(t, first)
	require.Equal(t, "200", status)
	require.Equal(t, 6, strings.Count(body, `"gameId"`))

	address := regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(first)[1]
	for _, path := range []string{"/healthz", "/readyz"} {
		response, err := http.Get(address + path)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.NoError(t, response.Body.Close())
	}

	// A command beside the server uses the one that runs, and makes another key.
	status2, replaced := p.run("demo", "--base-url", address)
	require.Zero(t, status2, replaced)
	_, status = paste(t, first)
	require.Equal(t, "401", status, "the first key is revoked")
	_, status = paste(t, replaced)
	require.Equal(t, "200", status)
	stop()

	again, _ := p.serve("serve", "--demo")
	kept, status := paste(t, again)
	require.Equal(t, "200", status)
	require.Equal(t, body, kept)

	for _, greeting := range []string{first, replaced, again} {
		key := regexp.MustCompile(`dg_live_\S+[0-9A-Za-z]`).FindString(greeting)
		require.NotContains(t, p.log.String(), key[len(key)-49:], "no secret in the log")
	}
}

// Statistics and CSV of an imported history have as many plays, completed ones, players and answers
// as its file.
func TestReportsAgreeWithTheImportedFile(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: apptest.NewFolder(t)}
	plays := apptest.Sized(10_000, 100_000)
	now := time.Now()
	file := filepath.Join(t.TempDir(), "history.ndjson")
	f, err := os.Create(file)
	require.NoError(t, err)
	ids, err := demo.Scale(f, 7, now, demo.Size{Plays: plays, Players: 500, Days: 300})
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Regexp(t, fmt.Sprintf(`play\s+%d\s+0\s+0`, plays), apptest.ImportFile(t, p.dir, file))
	require.Regexp(t, fmt.Sprintf(`play\s+0\s+0\s+%d`, plays), apptest.ImportFile(t, p.dir, file),
		"the same file twice writes nothing")

	greeting, _ := p.serve("serve")
	base := strings.TrimSpace(strings.TrimPrefix(greeting, "Serving on "))
	token := makeKey(t, p.dir, ids.Organisation.String(), "Test").String()
	want := readHistory(t, file)
	query := fmt.Sprintf("?from=%s&to=%s", now.UTC().AddDate(0, 0, -301).Format(time.DateOnly),
		now.UTC().Format(time.DateOnly))
	fork := base + "/api/v1/forks/" + ids.Forks[0].String()

	var stats struct {
		Plays, UniquePlayers int
		AvgScorePercent      float64
		CompletionRate       float64
		Daily                []struct{ Plays int }
		Players              []struct{ Plays int }
		Skills               []struct{ Attempts int }
	}
	require.NoError(t, json.Unmarshal(fetch(t, fork+"/stats"+query, token), &stats))
	require.Equal(t, plays, stats.Plays)
	require.Equal(t, len(want.players), stats.UniquePlayers)
	require.Len(t, stats.Daily, 302)
	require.InDelta(t, float64(want.completed)/float64(plays), stats.CompletionRate, 0.00005)
	require.InDelta(t, want.score/float64(want.completed), stats.AvgScorePercent, 0.05)
	sum := 0
	for _, k := range stats.Skills {
		sum += k.Attempts
	}
	require.Equal(t, want.answers, sum)

	rows, err := csv.NewReader(bytes.NewReader(fetch(t, fork+"/exports/csv"+query, token))).
		ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, plays+1)
	for _, row := range rows[1:] {
		require.True(t, want.ids[row[0]], row)
		delete(want.ids, row[0])
	}
	require.Empty(t, want.ids)
}

// historyFigures are counted from the file, with nothing of the program.
type historyFigures struct {
	ids       map[string]bool
	players   map[string]bool
	completed int
	score     float64
	answers   int
}

func readHistory(t *testing.T, file string) historyFigures {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	h := historyFigures{ids: map[string]bool{}, players: map[string]bool{}}
	for dec := json.NewDecoder(f); dec.More(); {
		var line struct {
			Type, ID, PlayerID string
			CompletedAt        *string
			ScorePercent       float64
			Skills             []struct{ Attempts int }
		}
		require.NoError(t, dec.Decode(&line))
		if line.Type != "play" {
			continue
		}
		h.ids[line.ID] = true
		h.players[line.PlayerID] = true
		if line.CompletedAt != nil {
			h.completed++
			h.score += line.ScorePercent
		}
		for _, s := range line.Skills {
			h.answers += s.Attempts
		}
	}
	return h
}

// fetch reads an answer of 200.
func fetch(t *testing.T, url, token string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", body)
	return body
}
