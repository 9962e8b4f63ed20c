package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// supervisor runs a command for as long as anybody holds the writing end of the pipe that is its file 3, and ends it
// then. The system closes that end when a process dies, kill -9 included, on Linux and on a Mac alike.
//
// The pipe of the server has a name, $1, under which other processes join. Nobody joins a server that is ending: the
// name is removed first, and who was quick enough to open it before is waited for. File 4 is the server's lock, which
// the command inherits.
//
// SIGINT asks PostgreSQL for a fast shutdown and is sent again because a process that has just begun may miss it;
// SIGQUIT, after 20 seconds, asks for an immediate one. Losing the shell alone does no harm: the watcher is a process of its own.
const supervisor = `
alive=$1; shift
"$@" 3<&- & server=$!
(
  exec 4>&-
  while read -r line <&3; do :; done
  [ -z "$alive" ] || rm -f "$alive"
  while read -r line <&3; do :; done
  n=0
  while
    signal=INT; [ $n -lt 20 ] || signal=QUIT; [ $n -lt 26 ] || signal=KILL
    kill -$signal $server 2>/dev/null
  do n=$((n+1)); sleep 1; done
) >/dev/null 2>&1 & watcher=$!
trap 'kill -INT $server 2>/dev/null' HUP INT TERM
wait $server; code=$?
while [ $code -gt 128 ] && kill -0 $server 2>/dev/null; do wait $server; code=$?; done
kill $watcher 2>/dev/null
exit $code
`

// keptEnvironment is what PostgreSQL and the shell get of ours: no PG* variable changes what we ask for.
var keptEnvironment = []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT"}

// command is a command as the server's user, in a session of its own: Ctrl-C at our terminal is ours to handle.
func (f folder) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = "/" // holds no folder, and no mounted disk, for as long as it runs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: f.cred}
	// English messages; and on a Mac the server won't start without a locale.
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range keptEnvironment {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return cmd
}

// supervised is the command argv under the supervisor. It ends when the last writer of pipe has gone.
func (f folder) supervised(pipe, lock *os.File, pipeName string, argv []string) *exec.Cmd {
	// Not bound to a context: the pipe is what ends it.
	cmd := f.command(context.Background(), "/bin/sh", append([]string{"-c", supervisor, "dg-postgres", pipeName}, argv...)...)
	cmd.ExtraFiles = []*os.File{pipe, lock}
	return cmd
}

// runSupervised runs argv to its end and returns what it printed. It does not outlive this process, or ctx.
func (f folder) runSupervised(ctx context.Context, lock *os.File, argv []string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer w.Close()
	stop := context.AfterFunc(ctx, func() { _ = w.Close() })
	defer stop()

	var printed strings.Builder
	cmd := f.supervised(r, lock, "", argv)
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Start()
	_ = r.Close()
	if err == nil {
		err = cmd.Wait()
	}
	return printed.String(), errors.Join(err, ctx.Err())
}

// makeFIFO makes the pipe under whose name other processes join, and opens both ends.
func makeFIFO(path string) (r, w *os.File, err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, nil, fmt.Errorf("make the pipe %q: %w", path, err)
	}
	// The reading end first, without waiting for a writer; it blocks from then on, as the shell's read wants it.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open the pipe %q: %w", path, err)
	}
	r = os.NewFile(uintptr(fd), path)
	w, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NOFOLLOW, 0)
	if err == nil {
		err = syscall.SetNonblock(fd, false)
	}
	if err != nil {
		_ = r.Close()
		return nil, nil, fmt.Errorf("open the pipe %q: %w", path, err)
	}
	return r, w, nil
}

const (
	maxLogSize = 10 << 20
	tailSize   = 4 << 10
)

// openLog opens the server's log, empty where it has grown large, and tells where the lines of this start begin.
func (f folder) openLog() (*os.File, int64, error) {
	log, err := os.OpenFile(f.file(logFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, 0, err
	}
	info, err := log.Stat()
	if err == nil && info.Size() > maxLogSize {
		err = log.Truncate(0)
	}
	if err != nil {
		_ = log.Close()
		return nil, 0, err
	}
	begin, err := log.Seek(0, io.SeekEnd)
	return log, begin, err
}

// logTail is the end of what the server has logged since begin.
func (f folder) logTail(begin int64) string {
	log, err := os.Open(f.file(logFile))
	if err != nil {
		return ""
	}
	defer log.Close()
	if info, err := log.Stat(); err == nil {
		begin = max(begin, info.Size()-tailSize)
	}
	text, _ := io.ReadAll(io.NewSectionReader(log, begin, tailSize))
	return strings.TrimSpace(string(text))
}
