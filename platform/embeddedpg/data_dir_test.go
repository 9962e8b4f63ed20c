package embeddedpg

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

func TestLongPathWorks(t *testing.T) {
	t.Parallel()
	dir := newFolder(t, strings.Repeat("long name ", 12), strings.Repeat("länger'\"$(x)", 8))
	require.Greater(t, len(dir), 200)
	stays(t, start(t, dir))
}

// A copied folder, as of a second checkout, is a server of its own.
func TestCopiedFolderHasItsOwnServer(t *testing.T) {
	t.Parallel()
	dir := made(t)
	copied := filepath.Join(filepath.Dir(dir), "copy")
	out, err := exec.CommandContext(t.Context(), "cp", "-a", dir, copied).CombinedOutput()
	require.NoError(t, err, "%s", out)
	original := start(t, dir)
	second := start(t, copied)
	require.NoError(t, tb.Exec(t, original.OwnerURL(), `create table original ()`))
	require.ErrorContains(t, tb.Exec(t, second.OwnerURL(), `table original`), "does not exist")
}

func TestFolderThatOnlyRootCanEnterMoves(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	dir := newFolder(t)
	above := filepath.Dir(dir)
	require.NoError(t, os.Chmod(above, 0o700))
	t.Cleanup(func() {
		_ = os.RemoveAll(relocatedPath(dir))
		_ = os.Remove(filepath.Dir(relocatedPath(dir))) // where it is empty
	})
	s := start(t, dir)
	require.Equal(t, relocatedPath(dir), s.data.path)
	require.True(t, HasData(dir))
	require.NoError(t, tb.Exec(t, s.OwnerURL(), `create table kept ()`))
	stop(t, s)
	require.NoDirExists(t, dir)
	require.NoError(t, os.Chmod(above, 0o755)) // hides no data
	require.NoError(t, tb.Exec(t, start(t, dir).OwnerURL(), `table kept`))
}

// The folder of a normal user is also root's, and root's data is not a normal user's.
func TestRootUsesTheFolderOfANormalUser(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	dir := newFolder(t)
	base := filepath.Dir(dir)
	require.NoError(t, os.Chown(base, int(nobody.Uid), int(nobody.Gid)))
	asNobody := func(c *exec.Cmd) {
		program := filepath.Join(base, "user")
		require.NoError(t, exec.CommandContext(t.Context(), "install", c.Path, program).Run())
		c.Path = program
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
	}
	normal := join(t, dir, asNobody)
	root := start(t, dir)
	require.Equal(t, nobody.Uid, root.data.user.Uid)
	normal.end(t)
	stop(t, root) // as the last user
	root = start(t, dir)
	join(t, dir, asNobody).end(t)
	stop(t, root)
	join(t, dir, asNobody).end(t)

	rootsOwn := newFolder(t)
	start(t, rootsOwn)
	require.Contains(t, begin(t, rootsOwn, asNobody).says(t), "permission denied")
}

func TestUnfitFoldersAreRefused(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o600))
	_, err := Start(t.Context(), dir, fast...)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "another program or an earlier build (thesis.txt)")
	_, err = Start(t.Context(), filepath.Join(dir, "thesis.txt", "sub"), fast...)
	require.ErrorContains(t, err, "not a directory")
}

func needsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can show this")
	}
}

// initdb needs a name for its user, which an arbitrary id of a container has not.
func TestUserWithoutNameIsExplained(t *testing.T) {
	t.Parallel()
	needsRoot(t)
	nameless := &syscall.Credential{Uid: 54321, Gid: 54321}
	dir := newFolder(t)
	base := filepath.Dir(dir)
	require.NoError(t, os.Chown(base, int(nameless.Uid), int(nameless.Gid)))
	user := begin(t, dir, func(c *exec.Cmd) {
		program := filepath.Join(base, "user")
		require.NoError(t, exec.CommandContext(t.Context(), "install", c.Path, program).Run())
		c.Path = program
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: nameless}
	})
	require.Contains(t, user.says(t), "add a line for it to /etc/passwd")
}
