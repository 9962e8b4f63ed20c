package apptest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// BuildBinary builds the program once per process, without the race detector. It returns the path.
var BuildBinary = sync.OnceValues(func() (string, error) {
	path := RepositoryPath("bin", "dg-test")
	temporary := fmt.Sprintf("%s-%d", path, os.Getpid())
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", temporary, "dg/app").
		CombinedOutput(); err != nil {
		return "", fmt.Errorf("build dg: %w\n%s", err, out)
	}
	return path, os.Rename(temporary, path) // a rename is atomic: other test runs may build too
})

type Child struct {
	*exec.Cmd
	T          *testing.T
	Out, Log   tb.Buffer
	exited     chan struct{}
	ListenURL  string // URL of its listener, which differs from the base URL behind a proxy
	OpsAddress string // host and port of the ops server
}

// Launch starts dg on free ports and without a shutdown delay. It kills dg when the test ends.
func Launch(t *testing.T, args ...string) *Child { return LaunchWith(t, nil, args...) }

// LaunchWith is like Launch, but prepare changes the command first.
func LaunchWith(t *testing.T, prepare func(*exec.Cmd), args ...string) *Child {
	program, err := BuildBinary()
	require.NoError(t, err)
	c := &Child{Cmd: exec.Command(program, args...), T: t, exited: make(chan struct{})}
	// Another program may listen on the default addresses.
	c.Env = append(CleanEnvironment(), "DG_SHUTDOWN_DELAY=0s", "DG_ADDR=127.0.0.1:0", "DG_OPS_ADDR=127.0.0.1:0")
	c.Stdout, c.Stderr = &c.Out, &c.Log
	if prepare != nil {
		prepare(c.Cmd)
	}
	require.NoError(t, c.Start())
	go func() {
		_ = c.Wait()
		close(c.exited)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-c.exited
	})
	return c
}

func CleanEnvironment() []string {
	isSetting := func(v string) bool { return strings.HasPrefix(v, "DG_") }
	return slices.DeleteFunc(os.Environ(), isSetting)
}

func ServeOn(t *testing.T, dir string, args ...string) *Child {
	if slices.Contains(args, "--demo") {
		CopyDemo(t, dir)
	}
	return ServeWith(t, append([]string{"--data-dir", dir}, args...)...)
}

// ServeWith starts dg serve on free ports and waits until it serves.
func ServeWith(t *testing.T, args ...string) *Child {
	return Launch(t, append([]string{"serve"}, args...)...).AwaitServing()
}

// listenLinePattern matches the addresses in the text or the JSON format of the log.
var listenLinePattern = regexp.MustCompile(`"dg listens".*address"?[=:]"?([\d.:]+).*operations"?[=:]"?([\d.:]+)`)

func (c *Child) AwaitServing() *Child {
	defer func() {
		if c.ListenURL == "" {
			c.T.Log(c.Log.String())
		}
	}()
	WaitUntil(c.T, 5*time.Minute, "dg does not serve", func() bool {
		select {
		case <-c.exited:
			require.FailNow(c.T, "dg ended", c.Log.String())
		default:
		}
		return strings.Contains(c.Out.String(), "Serving on ")
	})
	addresses := listenLinePattern.FindStringSubmatch(c.Log.String())
	require.NotNil(c.T, addresses)
	c.ListenURL = "http://" + addresses[1]
	c.OpsAddress = addresses[2]
	return c
}

func (c *Child) DemoToken() string {
	WaitUntil(c.T, 30*time.Second, "no demo key", func() bool { return CurlLinePattern.MatchString(c.Out.String()) })
	return DemoKeyPattern.FindString(c.Out.String())
}

// Get sends a GET with a key ("": none) and headers as name, value pairs.
func (c *Child) Get(path, token string, headers ...string) testkit.Page {
	response := Get(c.T, NewClient(), c.ListenURL+path, token, headers...)
	return testkit.Page{Response: response, Body: ReadAll(c.T, response)}
}

// GetBody is like Get, but requires status 200. It returns the body.
func (c *Child) GetBody(path, token string, headers ...string) string {
	return c.Get(path, token, headers...).Is(c.T, http.StatusOK).Body
}

func (c *Child) Accepts(token string) bool {
	status := c.Get("/api/v1/forks", token).StatusCode
	require.Contains(c.T, []int{http.StatusOK, http.StatusUnauthorized}, status)
	return status == http.StatusOK
}

// ExitStatus waits until the process has ended and returns its exit status, or -1 if a signal ended it.
func (c *Child) ExitStatus(within time.Duration) int {
	select {
	case <-c.exited:
	case <-time.After(within):
		require.FailNow(c.T, "dg still runs", "%v after %s:\n%s", c.Args[1:], within, c.Log.String())
	}
	return c.ProcessState.ExitCode()
}

// Stop sends SIGTERM to dg and requires exit status 0.
func (c *Child) Stop() {
	require.NoError(c.T, c.Process.Signal(syscall.SIGTERM))
	require.Zero(c.T, c.ExitStatus(30*time.Second), "%s", c.Log.String())
}

func (c *Child) Kill() {
	require.NoError(c.T, c.Process.Kill())
	<-c.exited
}

func (c *Child) GetOps(path string) string {
	response := Get(c.T, NewClient(), "http://"+c.OpsAddress+path, "")
	require.Equal(c.T, http.StatusOK, response.StatusCode, path)
	return ReadAll(c.T, response)
}

// MetricValue returns the value of a series, or 0 if the series is missing.
func (c *Child) MetricValue(series string) float64 {
	matches := testkit.Submatches(`(?m)^`+regexp.QuoteMeta(series)+` (\S+)$`, c.GetOps("/metrics"))
	if matches == nil {
		return 0
	}
	value, err := strconv.ParseFloat(matches[0][0], 64)
	require.NoError(c.T, err)
	return value
}

// Memory returns a value of the process's /proc status, such as VmHWM, in bytes.
func (c *Child) Memory(name string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	require.NoError(c.T, err)
	kilobytes, err := strconv.Atoi(testkit.Submatch(c.T, name+`:\s+(\d+) kB`, string(text)))
	require.NoError(c.T, err)
	return kilobytes << 10
}

// WaitUntil polls the condition until it holds. After the duration within, it fails the test with the message.
func WaitUntil(t *testing.T, within time.Duration, message string, condition func() bool) {
	for deadline := time.Now().Add(within); !condition(); <-time.After(5 * time.Millisecond) {
		require.False(t, time.Now().After(deadline), "after %s: %s", within, message)
	}
}

// FreeAddress returns a free address. On Linux its host contains the process id, so that no other process takes it.
func FreeAddress(t *testing.T) string {
	pid := os.Getpid()
	ln, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 64+pid>>16&63, pid>>8&0xff, pid&0xff))
	if err != nil {
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	require.NoError(t, err)
	defer ln.Close()
	return ln.Addr().String()
}
