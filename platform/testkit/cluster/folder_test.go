package cluster

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// makerVariable makes TestMaker, in another process, create a folder with a running program in it,
// and wait to be killed.
const makerVariable = "DG_CLUSTER_MAKER"

func TestMaker(t *testing.T) {
	if os.Getenv(makerVariable) == "" {
		t.Skip("only as a process that another test starts")
	}
	f := newFolder(t)
	p := f.start("server", nil, "sh", "-c", "sleep 600 & exec sleep 600")
	until(t, 10*time.Second, func() string { return "no child" }, func() bool {
		return len(children(p.Pid())) == 1
	})
	fmt.Println(f.dir, p.Pid(), children(p.Pid())[0])
	select {}
}

// However the maker of a cluster ends, no process and no folder is left.
func TestNothingOutlivesTheMaker(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		program, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(program, "-test.run=^TestMaker$")
		cmd.Env = append(os.Environ(), makerVariable+"=1")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		var dir string
		var parent, child int
		_, err = fmt.Sscan(strings.TrimSpace(line), &dir, &parent, &child)
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(signal))
		_ = cmd.Wait()
		until(t, 10*time.Second, func() string { return line + "is left" }, func() bool {
			_, err := os.Stat(dir)
			return os.IsNotExist(err) && !works(parent) && !works(child)
		})
	}
}

// works reports whether the process has not ended: a zombie has ended.
func works(pid int) bool {
	_, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil
}
