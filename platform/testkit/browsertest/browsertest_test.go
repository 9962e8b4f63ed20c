package browsertest

import (
	"bufio"
	"dg/platform/testkit/tb"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoScriptRunsOnlyEval(t *testing.T) {
	t.Parallel()
	at := site(t, map[string]string{
		"/": `<p id=p>plain</p><script>p.textContent = 'scripted'</script><form action="/sent"><input name=name><button>Go</button></form>`,
	})
	for want, options := range map[string][]Option{"scripted": nil, "plain": {NoScript()}} {
		p := New(t, options...)
		p.Open(at)
		assert.Equal(t, want, p.Text("#p"))
		p.Fill("input", "x")
		p.Click("button")
		assert.Equal(t, "GET x", p.Text("#sent"))
	}
}

func TestPagesShareNoCookies(t *testing.T) {
	t.Parallel()
	at := site(t, map[string]string{"/": "<p>x</p>"})
	one := New(t)
	other := New(t)
	one.Open(at)
	other.Open(at)
	one.Eval(`document.cookie = 'a=1'`, nil)
	var cookies string
	other.Eval(`document.cookie`, &cookies)
	assert.Empty(t, cookies)
	one.Eval(`Promise.resolve(document.cookie)`, &cookies)
	assert.Equal(t, "a=1", cookies)
}

func TestTransferSizeIsWhatCameOverTheNetwork(t *testing.T) {
	t.Parallel()
	at := site(t, map[string]string{
		"/":      `<link rel=stylesheet href="/style.css"><p>x</p>`,
		"/large": "<p>" + strings.Repeat("x", 50_000),
	})
	p := New(t)
	p.Open(at)
	first := p.TransferSize()
	assert.Greater(t, first, 400, "the stylesheet is 200 KB, and some hundred bytes on the way")
	assert.Less(t, first, 3000)
	p.Open(at + "/?again")
	again := p.TransferSize()
	assert.Less(t, again, first-100, "the stylesheet is kept")
	p.ClearCache()
	p.Open(at + "/?more")
	assert.InDelta(t, first, p.TransferSize(), 20)
	p.Eval(`new Promise((loaded) => {
		const icon = document.head.appendChild(Object.assign(document.createElement('link'),
			{rel: 'icon', href: '/favicon.ico?late'}));
		setTimeout(loaded, 300);
	})`, nil)
	assert.InDelta(t, first, p.TransferSize(), 20,
		"the icon, whose time the browser chooses, does not count")
	p.Open(at + "/large")
	assert.Greater(t, p.TransferSize(), 50_000)
	p.Open(at + "/moved")
	assert.Greater(t, p.TransferSize(), again+100, "a redirect counts")
}

func TestErrorsOfThePageFailTheTest(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Chromium: skipped with -short")
	}
	at := site(t, map[string]string{
		"/strict":    `<p style="color: red">x</p>`,
		"/throws":    `<script>setTimeout(() => { throw new Error('out of order') })</script><p>x</p>`,
		"/console":   `<script>console.error('so it', {a: 1}); console.assert(1 === 1); console.warn('fine')</script><p>x</p>`,
		"/missing":   `<img src="/none.png" alt=none>`,
		"/alert":     `<script>alert('hello')</script><p>x</p>`,
		"/blameless": `<p>x</p>`,
	})
	for path, want := range map[string]string{
		"/strict":    "Content Security Policy",
		"/throws":    "out of order",
		"/console":   "so it",
		"/missing":   "404",
		"/alert":     "hello",
		"/blameless": "",
	} {
		visit := func(forgive ...string) string {
			return tb.Outcome(t, func(t testing.TB) {
				p := New(t)
				p.Open(at + path)
				p.Eval(`new Promise((done) => setTimeout(done))`, nil)
				for _, f := range forgive {
					p.AllowError(f)
				}
			})
		}
		got := visit()
		assert.Equal(t, want != "", strings.HasPrefix(got, "error: "), "%s: %s", path, got)
		assert.Contains(t, got, want, path)
		if want != "" {
			assert.Equal(t, 1, strings.Count(got, "error: "), got)
			assert.Empty(t, visit(want), "forgiven")
		}
	}
}

func TestFailuresNameTheirReason(t *testing.T) {
	t.Parallel()
	at := site(t, map[string]string{
		"/": `<button>One</button><button>Two</button><p hidden id=h>x</p>
		<input disabled id=off><div style="position:relative"><a href="/" id=under>under</a>
		<div id=over style="position:absolute;inset:0"></div></div>`,
	})
	p := New(t)
	p.Open(at)
	for want, c := range map[string]struct {
		selector, script string
	}{
		"it is not in the page":              {"#none", textScript},
		"2 elements fit":                     {"button", textScript},
		"it is in the page, but not visible": {"#h", textScript},
		"it is disabled":                     {"#off", pointScript},
		"it cannot be changed":               {"#off", fillScript},
		"it is covered by <div#over>":        {"#under", pointScript},
		"it is no field to fill":             {`button:text("One")`, fillScript},
		"is not a valid selector":            {"a[", textScript},
	} {
		var got struct{ Wrong string }
		err := p.eval(
			fmt.Sprintf(`(%s)(%s, %s, %s, "x")`, oneScript, visibleScript, quoted(c.selector),
				c.script), &got,
		)
		if err != nil {
			got.Wrong = err.Error()
		}
		assert.Contains(t, got.Wrong, want)
	}
	got := tb.Outcome(t, func(t testing.TB) {
		p.With(t).fail("click #none", errors.New("it is not in the page"))
	})
	assert.Equal(t, "fatal: browser: on "+at+"/: click #none: it is not in the page", got)
	got = tb.Outcome(t, func(t testing.TB) {
		p.With(t).Open("http://nowhere.invalid/")
	})
	assert.Contains(t, got, "ERR_NAME_NOT_RESOLVED")
}

func TestScreenshotIsAsWideAsTheWindow(t *testing.T) {
	t.Parallel()
	p := openSite(t, map[string]string{"/": `<div style="width: 400px; height: 3000px">x</div>`})
	assert.False(t, p.ScrollsSideways())
	p.Emulate(320, false)
	assert.True(t, p.ScrollsSideways())
	file := filepath.Join(t.TempDir(), "new", "page.png")
	p.Screenshot(file)
	picture, err := os.ReadFile(file)
	require.NoError(t, err)
	// The width and height in the PNG's header.
	require.Equal(t, []byte{0, 0, 1, 64}, picture[16:20])
	require.GreaterOrEqual(t, int(picture[22])<<8|int(picture[23]), 3000)
}

func TestLeavePromptIsCountedAndAnswered(t *testing.T) {
	t.Parallel()
	p := openSite(t, map[string]string{
		"/":     `<button>x</button><a href="/next">Next</a><script>addEventListener('beforeunload', (e) => e.preventDefault())</script>`,
		"/next": "<p>next</p>",
	})
	p.Click("button") // the browser asks only those who have touched the page
	p.DismissLeavePrompts()
	p.Click("a")
	assert.Equal(t, 1, p.LeavePrompts())
	assert.Equal(t, "/", p.Path())
	p.mu.Lock()
	p.stays = false
	p.mu.Unlock()
	p.Click("a")
	assert.Equal(t, 2, p.LeavePrompts())
	assert.Equal(t, "/next", p.Path())
}

func TestNamedBrowserMustExist(t *testing.T) {
	t.Setenv("DG_CHROMIUM", "/no/such/program")
	_, err := find()
	assert.ErrorContains(t, err, "/no/such/program")
}

// helperVariable makes TestHelperProcess, in another process, open a page and wait to be killed.
const helperVariable = "DG_BROWSERTEST_HELPER"

func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperVariable) == "" {
		t.Skip("only as a process that another test starts")
	}
	New(t).Open("data:text/html,<p>x</p>")
	_, _ = fmt.Println("open in " + os.Getenv("TMPDIR"))
	select {}
}

func TestBrowserAndFolderEndWithTheProcess(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Chromium: skipped with -short")
	}
	if _, err := find(); err != nil {
		tb.Missing(t, err)
	}
	program, err := os.Executable()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "leaver") // t.TempDir is too long a path for the browser's sockets
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	cmd := exec.Command(program, "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), helperVariable+"=1", "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	entries, err := os.ReadDir(dir)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Equal(t, "open in "+dir+"\n", line)
	require.NoError(t, err)
	require.NotEmpty(t, entries, "the browser's folder")
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(dir)
		running, _ := exec.Command("ps", "-A", "-ww", "-o", "args=").Output()
		return err == nil && len(left) == 0 && !strings.Contains(string(running), dir)
	}, timeout, 20*time.Millisecond, "the browser or its folder is left in %s", dir)
}
