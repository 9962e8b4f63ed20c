package embeddedpg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"os/user"
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
	if len(dir) < 200 {
		t.Fatalf("a path of %d bytes proves nothing", len(dir))
	}
	e := start(t, dir, Options{})
	answers(t, e)
	if len(e.folder.socket) > 80 {
		t.Errorf("the socket's folder has %d bytes", len(e.folder.socket))
	}
}

// One that can't be entered with root's umask either.
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

	var book logBook
	e := start(t, dir, Options{Logger: book.logger()})
	if e.folder.path != moved {
		t.Fatalf("the data is in %q, not %q", e.folder.path, moved)
	}
	if !strings.Contains(book.String(), moved) || !strings.Contains(book.String(), "level=WARN") {
		t.Errorf("it was not said: %s", book.String())
	}
	if exists(dir) {
		t.Error("an empty folder is left where the data is not")
	}
	require.NoError(t, executeOn(t, e.OwnerURL(), `create table kept (id int)`))
	stop(t, e)

	// The data is found again when the folder becomes reachable later: the user does not face an empty
	// database.
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	again := start(t, dir, Options{})
	if again.folder.path != moved {
		t.Errorf("the data is in %q now", again.folder.path)
	}
	require.NoError(t, executeOn(t, again.OwnerURL(), `table kept`))
}

// Data that is there and has become unreachable must not be taken for a new folder.
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
	needsRoot(t) // otherwise every other test has shown it
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(u.Gid)
	require.NoError(t, err)
	cred := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	dir := newFolder(t)
	base := filepath.Dir(dir)
	require.NoError(t, os.Chown(base, int(cred.Uid), int(cred.Gid)))

	p := run(t, dir, asUser(t, cred, base))
	p.started(t)
	info, err := os.Stat(filepath.Join(dir, dataFolder))
	require.NoError(t, err)
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != cred.Uid {
		t.Errorf("the data belongs to user %d", uid)
	}
	// Root joins, and as the data is another's launches as that user.
	joined := start(t, dir, Options{})
	p.kill()
	stop(t, joined)
	nothingRuns(t, dir)
	again := start(t, dir, Options{})
	answers(t, again)
	stop(t, again)
	nothingRuns(t, dir)

	// A user who may not: a sentence, at once.
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
	start(t, dir, Options{}) // the root of a file system of its own
}

func TestFolderThatCannotBeCreatedIsNamed(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	require.NoError(t, os.WriteFile(dir, nil, 0o600)) // a file where the folder should be
	_, err := Start(context.Background(), filepath.Join(dir, "sub"), Options{})
	mentions(t, err, dir, "not a directory")
}

func TestOtherMajorVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	require.NoError(t,
		os.WriteFile(filepath.Join(dir, dataFolder, "PG_VERSION"), []byte("99\n"), 0o600))
	_, err := Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "PostgreSQL 99, which wrote", "found: ", "PG_BIN")

	require.NoError(t, os.Remove(filepath.Join(dir, dataFolder, "PG_VERSION")))
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

// A full disk, as a file system of its own that is too small.
func TestFullDiskLeavesNoHalfDatabase(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := newFolder(t)
	require.NoError(t, os.Mkdir(dir, 0o755))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).
		CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: a small file system can't be mounted: %v %s", err,
			out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	_, err := Start(context.Background(), dir, Options{})
	mentions(t, err, dir, "No space left on device")
	if exists(filepath.Join(dir, dataFolder)) {
		t.Error("half a database is left")
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can show this")
	}
}
