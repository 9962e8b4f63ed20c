package system

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/tb"
)

// exportClient is a program that reads an export as its users do. It finds URL and KEY in its
// environment.
type exportClient struct {
	name    string
	command []string
	// fails if the client is not installed; nil: only the program is needed
	needs []string
	exit  int // its status after a reset
	// it writes what it reads to standard output, and stops reading while that blocks
	passes bool
	rare   bool // only make soak tries it
}

const (
	bearer   = `"Authorization: Bearer $KEY" "$URL"`
	inPython = `
import os, shutil, sys
url = os.environ["URL"]
headers = {"Authorization": "Bearer " + os.environ["KEY"], "Accept-Encoding": "identity"}
`
	inNode = "const { URL: url, KEY } = process.env, headers = { Authorization: 'Bearer ' + KEY }\n"
	inPHP  = "$url = getenv('URL'); $headers = ['Authorization: Bearer ' . getenv('KEY')];\n"
	inR    = "url <- Sys.getenv('URL'); key <- paste('Bearer', Sys.getenv('KEY')); file <- tempfile()\n"
)

func runShell(command string) []string { return []string{"sh", "-c", "exec " + command} }

func runPython(program string) []string { return []string{"python3", "-c", program} }

func runNode(program string) []string {
	return []string{"node", "--input-type=module", "-e", inNode + program}
}

// exportClients are tried if they are installed. PHP's file_get_contents notices no broken
// transfer, of which /docs warns.
var exportClients = []exportClient{
	{name: "curl", exit: 56, passes: true, command: runShell("curl -sS -f -H " + bearer)},
	{name: "curl --compressed", exit: 56,
		command: runShell("curl -sS -f --http1.1 --compressed -H " + bearer)},
	{name: "wget", exit: 4, passes: true, command: runShell("wget -nv -t 1 -O - --header " + bearer)},
	{name: "Python urllib", exit: 1, passes: true, command: runPython(inPython + `
import urllib.request
with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
    shutil.copyfileobj(answer, sys.stdout.buffer)
`)},
	{name: "Python requests, iter_content", exit: 1, passes: true,
		needs: runPython("import requests"), command: runPython(inPython + `
import requests
for block in requests.get(url, headers=headers, stream=True).iter_content(65536):
    sys.stdout.buffer.write(block)
`)},
	{name: "Node fetch", exit: 1, passes: true, command: runNode(`
import { pipeline } from 'node:stream/promises'
await pipeline((await fetch(url, { headers })).body, process.stdout)
`)},
	{name: "Go", command: []string{"go", "run", "BrokenExport.go"}, exit: 1, passes: true},
	{name: "Java HttpClient", command: []string{"java", "BrokenExport.java"}, exit: 1, rare: true},
	{name: "PHP curl", exit: 1, passes: true,
		needs: []string{"php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"},
		command: []string{"php", "-r", inPHP + `
$request = curl_init($url);
curl_setopt_array($request, [CURLOPT_HTTPHEADER => $headers, CURLOPT_FAILONERROR => true]);
if (!curl_exec($request)) { fwrite(STDERR, curl_error($request)); exit(1); }
`}},
	{name: "PHP file_get_contents", exit: 0, command: []string{"php", "-r", inPHP + `
$context = stream_context_create(['http' => ['header' => $headers]]);
if (file_get_contents($url, false, $context) === false) exit(1);
`}},
	{name: "R curl_download", exit: 1, needs: []string{"Rscript", "-e", "library(curl)"},
		command: []string{"Rscript", "-e", inR + `
curl::curl_download(url, file, handle = curl::new_handle(httpheader = paste('Authorization:', key)))
`}},
}

// start runs the client. With pause, only finish reads its output. finish returns the exit status
// and the last line of standard error.
func (c exportClient) start(
	t *testing.T, url, key string, pause bool,
) (finish func() (int, string)) {
	t.Helper()
	if _, err := exec.LookPath(c.command[0]); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: there is no %s", c.command[0])
	}
	if c.needs != nil && exec.CommandContext(t.Context(), c.needs[0], c.needs[1:]...).Run() != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %q fails", c.needs)
	}
	cmd := exec.CommandContext(t.Context(), c.command[0], c.command[1:]...)
	cmd.Env = append(os.Environ(), "URL="+url, "KEY="+key)
	cmd.Dir = filepath.Join("testdata", "clients")
	var stderr tb.Book
	cmd.Stderr = &stderr
	out := bufio.NewReader(strings.NewReader(""))
	if pause {
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		out.Reset(stdout)
	}
	require.NoError(t, cmd.Start())
	if pause {
		_, err := out.Peek(1)
		require.NoError(t, err, "%s", stderr.String())
	}
	return func() (int, string) {
		_, err := io.Copy(io.Discard, out)
		require.NoError(t, err)
		_ = cmd.Wait() // the status says it
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return cmd.ProcessState.ExitCode(), lines[len(lines)-1]
	}
}

// eachClient runs test with every client. Behind a proxy, make test runs it with wget only.
func eachClient(t *testing.T, direct bool, test func(*testing.T, exportClient)) {
	t.Helper()
	for _, c := range exportClients {
		if apptest.Chaos || !c.rare && (direct || c.name == "wget") {
			t.Run(c.name, func(t *testing.T) { test(t, c) })
		}
	}
}

// failed requires the client's exit status after a broken transfer. Behind a proxy the status may
// differ.
func (c exportClient) failed(t *testing.T, finish func() (int, string), direct bool) {
	t.Helper()
	exit, said := finish()
	t.Logf("exit status %d: %s", exit, said)
	if direct {
		require.Equal(t, c.exit, exit, "%s", said)
	}
	require.Equal(t, c.exit == 0, exit == 0, "%s", said)
}
