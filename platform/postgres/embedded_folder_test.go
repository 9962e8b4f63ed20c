package postgres

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
)

func TestALongPathWithASpace(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	dir = filepath.Join(dir, strings.Repeat("long name ", 12), strings.Repeat("länger'\"$(x)", 8))
	if len(dir) < 200 {
		t.Fatalf("a path of %d bytes proves nothing", len(dir))
	}
	e := start(t, dir, EmbeddedOptions{})
	if query[int](t, e.URL(), `select 1`) != 1 {
		t.Error("no database")
	}
	if len(e.socket) > maxSocketFolder {
		t.Errorf("the socket's folder has %d bytes", len(e.socket))
	}
}

// One that can't be entered with root's umask either.
func TestAFolderThatOnlyRootCanEnterMoves(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := newFolder(t)
	must(t, os.Chmod(filepath.Dir(dir), 0o700))
	hash := sha256.Sum256([]byte(dir))
	moved := filepath.Join(relocationRoot, hex.EncodeToString(hash[:8]))
	t.Cleanup(func() { _ = os.RemoveAll(moved); _ = os.Remove(relocationRoot) }) // the latter where it is empty

	var book logBook
	e := start(t, dir, EmbeddedOptions{Logger: book.logger()})
	if e.Dir() != moved {
		t.Fatalf("the data is in %q, not %q", e.Dir(), moved)
	}
	if !strings.Contains(book.String(), moved) || !strings.Contains(book.String(), "level=WARN") {
		t.Errorf("it was not said: %s", book.String())
	}
	if exists(dir) {
		t.Error("an empty folder is left where the data is not")
	}
	must(t, execute(t, e.OwnerURL(), `create table kept (id int)`))
	stop(t, e)

	// The data is found again when the folder becomes reachable later: nobody faces an empty database.
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	again := start(t, dir, EmbeddedOptions{})
	if again.Dir() != moved {
		t.Errorf("the data is in %q now", again.Dir())
	}
	must(t, execute(t, again.OwnerURL(), `table kept`))
}

// Data that is there and has become unreachable must not be taken for a new folder.
func TestDataThatCannotBeReachedIsNotReplaced(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := initialised(t)
	must(t, os.Chmod(filepath.Dir(dir), 0o700))
	_, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{})
	mentions(t, err, dir, "can't be entered", "chmod")
}

func TestANormalUser(t *testing.T) {
	t.Parallel()
	needsRoot(t) // otherwise every other test has shown it
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
	cred, err := credential(u)
	must(t, err)
	dir := newFolder(t)
	base := filepath.Dir(dir)
	must(t, os.Chown(base, int(cred.Uid), int(cred.Gid)))

	p := run(t, dir, asUser(t, cred, base))
	if r := p.started(t); r.Error != "" {
		t.Fatal(r.Error)
	}
	info, err := os.Stat(filepath.Join(dir, dataFolder))
	must(t, err)
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != cred.Uid {
		t.Errorf("the data belongs to user %d", uid)
	}
	// Root joins, and as the data is another's launches as that user.
	joined := start(t, dir, EmbeddedOptions{})
	must(t, p.Process.Kill())
	_ = p.Wait()
	stop(t, joined)
	nothingRuns(t, dir)
	again := start(t, dir, EmbeddedOptions{})
	if query[int](t, again.URL(), `select 1`) != 1 {
		t.Error("no database")
	}
	stop(t, again)
	nothingRuns(t, dir)

	// A user who may not: a sentence, at once.
	rootsOwn := newFolder(t)
	start(t, rootsOwn, EmbeddedOptions{})
	denied := run(t, rootsOwn, asUser(t, cred, base))
	if r := denied.started(t); !strings.Contains(r.Error, "permission denied") {
		t.Errorf("another user's folder: %+v", r)
	}
}

func TestAFolderOfSomebodyElse(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	must(t, os.MkdirAll(filepath.Join(dir, "lost+found"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o600))
	_, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{})
	mentions(t, err, dir, "thesis.txt", "empty folder")
	must(t, os.Remove(filepath.Join(dir, "thesis.txt")))
	start(t, dir, EmbeddedOptions{}) // the root of a file system of its own
}

func TestAFolderThatCannotBeMade(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	must(t, os.WriteFile(dir, nil, 0o600)) // a file where the folder should be
	_, err := StartEmbedded(context.Background(), filepath.Join(dir, "sub"), EmbeddedOptions{})
	mentions(t, err, dir, "not a directory")
}

func TestAnotherMajorVersion(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	must(t, os.WriteFile(filepath.Join(dir, dataFolder, "PG_VERSION"), []byte("99\n"), 0o600))
	_, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{})
	mentions(t, err, dir, "written by PostgreSQL 99", "not installed", "found: "+strconv.Itoa(installed(t.Context())[0].major), "PG_BIN")

	must(t, os.Remove(filepath.Join(dir, dataFolder, "PG_VERSION")))
	_, err = StartEmbedded(context.Background(), dir, EmbeddedOptions{})
	mentions(t, err, dir, "holds no database")
}

func TestAServerThatDgDidNotLaunch(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	e := start(t, dir, EmbeddedOptions{})
	f, socket := e.folder, e.socket
	stop(t, e)
	must(t, os.MkdirAll(socket, 0o700))
	must(t, f.makeOwn(socket))
	t.Cleanup(func() { _ = os.RemoveAll(socket) })
	bin, err := f.binaries(t.Context(), e.log)
	must(t, err)
	byHand := f.command(t.Context(), bin.postgres(), append([]string{"-D", f.file(dataFolder)}, serverSettings(socket, fast)...)...)
	byHand.Cancel = func() error { return byHand.Process.Signal(syscall.SIGINT) }
	must(t, byHand.Start())
	defer func() { _ = byHand.Process.Signal(syscall.SIGINT); _ = byHand.Wait() }()
	eventually(t, "the server by hand does not answer", func() bool {
		return ping(context.Background(), connectionURL(socket, superuser, superuser)) == nil
	})
	_, err = StartEmbedded(context.Background(), dir, EmbeddedOptions{})
	mentions(t, err, "did not launch", strconv.Itoa(byHand.Process.Pid))
}

// A full disk, as a file system of its own that is too small.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := newFolder(t)
	must(t, os.Mkdir(dir, 0o755))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: a small file system can't be mounted: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	_, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{})
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
