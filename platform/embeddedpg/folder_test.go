package embeddedpg

import (
	"context"
	"crypto/sha256"
	"dg/platform/testkit/logbook"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLongPathWithSpacesWorks(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	dir = filepath.Join(dir, strings.Repeat("long name ", 12), strings.Repeat("länger'\"$(x)", 8))
	require.Greater(t, len(dir), 200)
	e := start(t, dir, Options{})
	answers(t, e)
	require.LessOrEqual(t, len(e.folder.socket), 80)
}

// The umask of root keeps the server's user out of the folder as well.
func TestFolderThatOnlyRootCanEnterMoves(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := newFolder(t)
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o700))
	hash := sha256.Sum256([]byte(dir))
	moved := filepath.Join(relocationRoot, hex.EncodeToString(hash[:8]))
	t.Cleanup(func() {
		_ = os.RemoveAll(moved)
		_ = os.Remove(relocationRoot)
	}) // the latter where it is empty

	var book logbook.Book
	e := start(t, dir, Options{Logger: book.Logger()})
	require.Equal(t, moved, e.folder.path)
	require.Contains(t, book.String(), moved)
	require.Contains(t, book.String(), "level=WARN")
	require.NoDirExists(t, dir, "an empty folder is left where the data is not")
	require.NoError(t, execute(t.Context(), e.OwnerURL(), `create table kept (id int)`))
	stop(t, e)

	// A folder that becomes reachable later does not hide the data.
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	again := start(t, dir, Options{})
	require.Equal(t, moved, again.folder.path)
	require.NoError(t, execute(t.Context(), again.OwnerURL(), `table kept`))
}

// Data that has become unreachable is not taken for a new folder.
func TestUnreachableDataIsNotReplaced(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := initialised(t)
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o700))
	_, err := Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "cannot be entered", "chmod")
}

func TestNormalUserAndRootShareAFolder(t *testing.T) {
	t.Parallel()
	needsRoot(t)                                        // otherwise every other test has shown it
	cred := &syscall.Credential{Uid: 65534, Gid: 65534} // nobody
	dir := newFolder(t)
	base := filepath.Dir(dir)
	require.NoError(t, os.Chown(base, int(cred.Uid), int(cred.Gid)))

	p := run(t, dir, asUser(t, cred, base))
	p.started(t)
	info, err := os.Stat(filepath.Join(dir, dataFolder))
	require.NoError(t, err)
	require.Equal(t, cred.Uid, info.Sys().(*syscall.Stat_t).Uid, "who owns the data")
	// Root joins, and launches as the user who owns the data.
	joined := start(t, dir, Options{})
	p.kill()
	stop(t, joined)
	nothingRuns(t, dir)
	again := start(t, dir, Options{})
	answers(t, again)
	stop(t, again)
	nothingRuns(t, dir)

	// A user without the right gets an error at once.
	rootsOwn := newFolder(t)
	start(t, rootsOwn, Options{})
	denied := run(t, rootsOwn, asUser(t, cred, base))
	require.Contains(t, denied.report(t).Error, "permission denied")
}

func TestFolderWithOtherFilesIsRefused(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "lost+found"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o600))
	_, err := Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "thesis.txt", "empty folder")
	require.NoError(t, os.Remove(filepath.Join(dir, "thesis.txt")))
	start(t, dir, Options{}) // lost+found: the root of a file system
}

func TestFolderThatCannotBeCreatedIsNamed(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	require.NoError(t, os.WriteFile(dir, nil, 0o600)) // a file where the folder should be
	_, err := Start(context.Background(), filepath.Join(dir, "sub"), Options{})
	mentions(t, err, dir, "not a directory")
}

func TestDataOfAnotherOrUnknownVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	version := filepath.Join(dir, dataFolder, "PG_VERSION")
	require.NoError(t, os.WriteFile(version, []byte("99\n"), 0o600))
	_, err := Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "PostgreSQL 99, which wrote")
	require.NoError(t, os.Remove(version))
	_, err = Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "PG_VERSION")
}

func TestServerLaunchedByHandIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	e := start(t, dir, Options{})
	f := e.folder
	socket := e.folder.socket
	stop(t, e)
	<-e.Done()
	require.NoError(t, f.makePrivate(socket))
	t.Cleanup(func() { _ = os.RemoveAll(socket) })
	bin, err := f.findProgram(t.Context(), "postgres")
	require.NoError(t, err)
	byHand := f.command(t.Context(), filepath.Join(bin, "postgres"), f.serverArguments(fast)...)
	byHand.Cancel = func() error { return byHand.Process.Signal(syscall.SIGINT) }
	require.NoError(t, byHand.Start())
	defer func() {
		_ = byHand.Process.Signal(syscall.SIGINT)
		_ = byHand.Wait()
	}()
	eventually(t, "the server by hand does not answer", func() bool {
		return execute(context.Background(), f.url("postgres", "postgres"), "") == nil
	})
	_, err = Start(context.Background(), dir, Options{})
	mentions(t, err, "did not launch", strconv.Itoa(byHand.Process.Pid))
}

// The full disk is a file system that is too small.
func TestFullDiskLeavesNoHalfDatabase(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := newFolder(t)
	require.NoError(t, os.Mkdir(dir, 0o755))
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).CombinedOutput()
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: a small file system can't be mounted: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	_, err = Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "No space left on device")
	require.NoDirExists(t, filepath.Join(dir, dataFolder))
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can show this")
	}
}
