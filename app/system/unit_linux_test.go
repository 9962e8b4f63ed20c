package system

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// filterVariable names the variable with a user's id and the numbers of the allowed system calls.
const filterVariable = "UNIT_FILTER"

func execFilteredIfChild() {
	if user, allowed, ok := strings.Cut(os.Getenv(filterVariable), " "); ok {
		_ = os.Unsetenv(filterVariable)
		panic(runFiltered(user, allowed))
	}
}

// runFiltered replaces this process by the program. As under systemd, calls that are not allowed fail with EPERM.
func runFiltered(user, allowed string) error {
	runtime.LockOSThread()
	if id, _ := strconv.Atoi(user); id != os.Geteuid() {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(id), syscall.Setuid(id)); err != nil {
			return err
		}
	}
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // loads the number of the call
	for number := range strings.SplitSeq(allowed, ",") {
		n, _ := strconv.ParseUint(number, 10, 32)
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, Jf: 1, K: uint32(n)},
			unix.SockFilter{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ERRNO | uint32(syscall.EPERM)})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), unix.Prctl(unix.PR_SET_SECCOMP,
		unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)); err != nil {
		return err
	}
	return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
}

func allowedCallsOfUnit(t *testing.T) string {
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	require.NoError(t, err)
	table := apptest.ReadFile(t, strings.TrimSpace(string(module)), "unix", "zsysnum_linux_"+runtime.GOARCH+".go")
	numbers := map[string]string{}
	for _, call := range testkit.Submatches(`SYS_(\w+)\s+= (\d+)`, table) {
		numbers[strings.ToLower(call[0])] = call[1]
	}
	var members func(string) []string
	members = func(group string) (names []string) {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "syscall-filter", group).Output()
		if err != nil {
			tb.SkipOrFail(t, fmt.Errorf("systemd-analyze: %w", err))
		}
		for name := range strings.FieldsSeq(regexp.MustCompile(`#.*`).ReplaceAllString(string(out), "")) {
			switch {
			case name[0] != '@':
				names = append(names, numbers[name])
			case name != group: // the first line repeats the group
				names = append(names, members(name)...)
			}
		}
		return names
	}
	unit := apptest.ReadFile(t, apptest.RepositoryPath("configs", "deploy", "dg.service"))
	var allowed []string
	for _, line := range testkit.Submatches(`(?m)^SystemCallFilter=(~?)(.*)$`, unit) {
		for group := range strings.FieldsSeq(line[1]) {
			if calls := members(group); line[0] == "" {
				allowed = append(allowed, calls...)
			} else {
				allowed = slices.DeleteFunc(allowed, func(n string) bool { return slices.Contains(calls, n) })
			}
		}
	}
	allowed = slices.DeleteFunc(allowed, func(n string) bool { return n == "" }) // "": another architecture's call
	require.Greater(t, len(allowed), 200)
	return strings.Join(allowed, ",")
}

// Under the filter of dg.service, commands work on an embedded and on an external server.
func TestServiceWorksUnderItsFilter(t *testing.T) {
	t.Parallel()
	allowed := allowedCallsOfUnit(t)
	pg := apptest.NewExternalServer(t)
	user := statOf(t, filepath.Join(pg.Dir, "cluster")).Uid
	dir := apptest.NewFolder(t)
	base := filepath.Dir(dir)
	require.NoError(t, os.Chown(base, int(user), -1))
	binary := tb.Must(apptest.BuildBinary())(t)
	program := filepath.Join(base, "dg")
	require.NoError(t, exec.CommandContext(t.Context(), "install", binary, program).Run())
	self := tb.Must(os.Executable())(t)
	run := func(args ...string) *apptest.Child {
		return apptest.LaunchWith(t, func(c *exec.Cmd) {
			c.Path = self
			c.Args = append([]string{self, program}, c.Args[1:]...)
			c.Dir = "/"
			c.Env = append(c.Env, fmt.Sprintf("%s=%d %s", filterVariable, user, allowed))
		}, args...)
	}
	for i, database := range [][]string{{"--data-dir", dir}, pg.Flags()} {
		imported := apptest.NewImportFile(t, uint64(i), 1_000)
		serve := func() *apptest.Child { return run(append([]string{"serve"}, database...)...).AwaitServing() }
		serve().Stop()
		for _, command := range [][]string{{"migrate"}, {"import", imported.Path}, {"doctor"}} {
			c := run(append(command, database...)...)
			require.Zero(t, c.ExitStatus(time.Minute), "%v: %s%s", command, c.Out.String(), c.Log.String())
		}
		restarted := serve()
		status := apptest.ReadFile(t, fmt.Sprintf("/proc/%d/status", restarted.Process.Pid))
		require.Regexp(t, fmt.Sprintf(`(?s)\nUid:\t%d\t.*\nSeccomp:\t2\n`, user), status)
		restarted.GetBody("/readyz", "")
		restarted.Stop()
	}
}
