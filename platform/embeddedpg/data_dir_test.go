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

// fakePostgres makes a folder of programs that says it is of the version.
func fakePostgres(t *testing.T, version string) string {
	bin := t.TempDir()
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "postgres"), []byte(script), 0o755))
	return bin
}

func TestPGBINReplacesTheSearch(t *testing.T) {
	dir := newFolder(t)
	f := dataDir{path: dir}
	for _, c := range []struct {
		bin, writtenBy string
		needs          string // "": taken
	}{
		{bin: fakePostgres(t, "16.4")},
		{bin: fakePostgres(t, "16.4 (Debian 16.4-1)"), writtenBy: "16"},
		{bin: fakePostgres(t, "18beta1")},
		{bin: fakePostgres(t, "14.2"), needs: "15 or later"},
		{bin: fakePostgres(t, "9.6.24"), needs: "15 or later"},
		{bin: fakePostgres(t, "16.4"), writtenBy: "17", needs: "17"},
		{bin: t.TempDir(), needs: "15 or later"},
	} {
		t.Setenv("PG_BIN", c.bin)
		_ = os.RemoveAll(dir)
		if c.writtenBy != "" {
			require.NoError(t, os.MkdirAll(f.file(cluster), 0o700))
			require.NoError(t, os.WriteFile(f.file(cluster+"/PG_VERSION"),
				[]byte(c.writtenBy+"\n"), 0o600))
		}
		got, err := FindProgram(t.Context(), dir, "postgres")
		if c.needs != "" {
			require.ErrorContains(t, err, "dg needs PostgreSQL "+c.needs+" ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.bin, got)
	}
}

// The path comes first.
func TestProgramsAreFoundOnThePath(t *testing.T) {
	newest := fakePostgres(t, "99.1")
	t.Setenv("PATH", newest+":"+os.Getenv("PATH"))
	t.Setenv("PG_BIN", "")
	got, err := FindProgram(t.Context(), newFolder(t), "postgres")
	require.NoError(t, err)
	require.Equal(t, newest, got)
}

// A link on the path leads to the folder of the other programs; a postgres alone creates no database.
func TestProgramsAreThoseBesideTheLinksTarget(t *testing.T) {
	real := fakePostgres(t, "99.1")
	linked := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(real, "postgres"), filepath.Join(linked, "postgres")))
	t.Setenv("PG_BIN", linked)
	got, err := FindProgram(t.Context(), newFolder(t), "postgres")
	require.NoError(t, err)
	require.Equal(t, real, got)
	_, err = FindPrograms(t.Context(), newFolder(t))
	require.ErrorContains(t, err, "with the program initdb: install it, set PG_BIN")
}
