package commands

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// parseArgs returns the settings of a command line, and the variables that are not settings.
func parseArgs(args ...string) (c cli, unknown []string, err error) {
	exitStatus := -1
	parsed, err := newParser(context.Background(), &c, Stdio{}, &exitStatus).Parse(args)
	if err != nil {
		return c, nil, err
	}
	return c, unknownSettings(parsed.Model), nil
}

func writeFile(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Flags override variables, which override the file of --config. A byte order mark in a file is ignored.
func TestSettingSourcesHavePrecedence(t *testing.T) {
	key := strings.Repeat("A", 43) + "="
	for name := range strings.FieldsSeq("DG_ADDR DG_BASE_URL DG_OPS_ADDR DG_SECRET_KEY_FILE DG_ADRR TEST_OF_FILE") {
		t.Setenv(name, "") // restores the variable after the test
		require.NoError(t, os.Unsetenv(name))
	}
	t.Setenv("DG_OPS_ADDR", "127.0.0.1:3")
	t.Setenv("DG_OPS_ADRR", "x")
	t.Setenv("DG_PORT", "tcp://10.0.0.1:8080") // set by Kubernetes beside a Service named dg
	file := writeFile(t, "dg.env", "\ufeffDG_ADDR=127.0.0.1:1\r\n# settings\n; more\n\n"+
		"DG_OPS_ADDR=127.0.0.1:2\nDG_BASE_URL=https://file.example\nDG_ADRR=a=b c#d\nTEST_OF_FILE=z \n"+
		"DG_SECRET_KEY_FILE="+writeFile(t, "key", "\ufeff"+key+"\n")+"\n")
	c, unknown := tb.Must2(parseArgs("serve", "--base-url", "https://flag.example", "--config", file))(t)
	require.Equal(t, "https://flag.example", c.Serve.BaseURL)
	require.Equal(t, "127.0.0.1:3", c.Serve.OpsAddr)
	require.Equal(t, "127.0.0.1:1", c.Serve.Addr)
	require.Equal(t, key, c.Serve.SecretKey)
	require.EqualValues(t, 12, c.Serve.PoolRequests, "the default")
	require.Subset(t, unknown, []string{"DG_ADRR", "DG_OPS_ADRR"})
	require.NotContains(t, unknown, "DG_PORT")
	require.Equal(t, "a=b c#d", os.Getenv("DG_ADRR"))
	require.Equal(t, "z", os.Getenv("TEST_OF_FILE"), "a variable of libpq, for example")
	t.Setenv("DG_SECRET_KEY", "") // an empty variable counts as unset
	require.NoError(t, tb.ErrorOf2(parseArgs("serve")))
	emptyFile := writeFile(t, "empty", "\ufeff \n")
	for _, wrong := range []struct{ key, file, message string }{
		{key, os.Getenv("DG_SECRET_KEY_FILE"), "DG_SECRET_KEY and DG_SECRET_KEY_FILE are both set"},
		{"", file + ".gone", "DG_SECRET_KEY_FILE: open"},
		{"", emptyFile, "DG_SECRET_KEY_FILE: " + emptyFile + " is empty"},
	} {
		t.Setenv("DG_SECRET_KEY", wrong.key)
		t.Setenv("DG_SECRET_KEY_FILE", wrong.file)
		require.ErrorContains(t, tb.ErrorOf2(parseArgs("serve")), wrong.message)
	}
}

// A settings file that a shell or Compose could read differently, or with a variable twice, is refused, unquoted.
func TestAmbiguousSettingsFileIsRefused(t *testing.T) {
	for line, message := range map[string]string{
		`A="hunter2"`:  "line 2: A has a quote",
		`A='hunter2'`:  "line 2: A has a quote, a backslash or $: write a value as it is, percent-encoded in a URL, or a secret into its",
		`A=hunt\er2`:   "line 2: A has a quote, a backslash",
		`A=hunt$er2`:   "line 2: A has a quote, a backslash or $",
		"hunter2":      "line 2 is not NAME=VALUE",
		"A =hunter2":   "line 2 is not NAME=VALUE",
		"B_TEST=other": "line 2 sets B_TEST a second time",
	} {
		t.Setenv("B_TEST", "x")
		file := writeFile(t, "dg.env", "B_TEST=x\n"+line+"\n")
		_, _, err := parseArgs("serve", "--config", file)
		require.ErrorContains(t, err, file+": "+message, line)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// dg serve --help lists every variable of every command, with its flag. dg --version has Go's version and the platform.
func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	exitStatus := -1
	model := newParser(t.Context(), new(cli), Stdio{}, &exitStatus).Model
	status, help, _ := runCommand(t, "serve", "--help")
	require.Zero(t, status)
	settings := map[string]bool{}
	for _, command := range model.Children {
		for _, flag := range append(model.Flags, command.Flags...) {
			for _, env := range flag.Envs {
				settings[env] = true
				require.Contains(t, help, "$"+env)
				require.Regexp(t, "--"+flag.Name+`\b`, help)
				if flag.Tag.Has("secret") {
					require.Contains(t, help, env+fileSuffix)
				}
			}
		}
	}
	require.Len(t, settings, 16)
	require.Contains(t, help, "PG_BIN")
	status, version, _ := runCommand(t, "--version")
	require.Zero(t, status)
	require.Regexp(t, `^dg \S+ \(go1\.\S+, \w+/\w+\)\n$`, version)
}

// dg serve runs more threads than processors and collects garbage less often, unless its environment overrides these.
func TestEnvironmentOverridesTheRuntimesTuning(t *testing.T) {
	threadsBefore := runtime.GOMAXPROCS(0)
	percentBefore := debug.SetGCPercent(90)
	limitBefore := debug.SetMemoryLimit(1 << 40)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(threadsBefore)
		debug.SetGCPercent(percentBefore)
		debug.SetMemoryLimit(limitBefore)
	})
	tune := func(threads, percent, limit string) []any {
		t.Setenv("GOMAXPROCS", threads)
		t.Setenv("GOGC", percent)
		t.Setenv("GOMEMLIMIT", limit)
		tuneRuntime()
		return []any{runtime.GOMAXPROCS(0), debug.SetGCPercent(90), debug.SetMemoryLimit(-1)}
	}
	require.Equal(t, []any{threadsBefore, 90, int64(1 << 40)}, tune("2", "90", "1TiB"))
	require.Equal(t, []any{threadsPerProcessor * threadsBefore, gcPercent, int64(memoryLimit)}, tune("", "", ""))
}

// TCP segments to a proxy on the same machine are no larger than on Ethernet: see tcpSegmentSize.
func TestLoopbackSegmentsAreLimited(t *testing.T) {
	ln := tb.Must(listen(t.Context(), "DG_ADDR", "127.0.0.1:0"))(t)
	defer ln.Close()
	conn := tb.Must(net.Dial("tcp", ln.Addr().String()))(t)
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	var segment int
	require.NoError(t, raw.Control(func(fd uintptr) {
		segment, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG)
	}))
	require.NoError(t, err)
	require.LessOrEqual(t, segment, tcpSegmentSize)
}

func runCommand(t *testing.T, args ...string) (status int, stdout, stderr string) {
	var out, problems bytes.Buffer
	status = Run(t.Context(), args, Stdio{Stdout: &out, Stderr: &problems})
	return status, out.String(), problems.String()
}

// The last line on standard error explains a command-line mistake. The exit status is 2.
func TestCommandLineMistakesAreExplained(t *testing.T) {
	t.Parallel()
	for line, message := range map[string]string{
		"serve --prot 8080": "unknown flag --prot",
		"serve extra":       "unexpected argument extra",
		"sevre":             "sevre",
		"":                  "expected one of",
		"import":            "file",
		"audit prune --export x --before 2025-01-15": "--before",
		"serve --addr":           "--addr",
		"serve --log-level=loud": "--log-level must be one of",
		"health --demo":          "unknown flag --demo",
		"database postgres://dg_owner:hunter2@127.0.0.1/dg":       "unexpected argument a URL, not shown",
		"serve --trusted-proxies=https://dg:hunter2@example.org/": "--trusted-proxies",
	} {
		status, stdout, stderr := runCommand(t, strings.Fields(line)...)
		require.Equal(t, 2, status, "dg %s", line)
		require.Regexp(t, `(^|\n)dg: .*`+message+`.*\n$`, stderr, "dg %s", line)
		require.NotContains(t, stderr, "hunter2")
		require.Empty(t, stdout)
	}
}
