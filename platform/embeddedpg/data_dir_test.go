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

// The path of the data folder may be longer than the path of a Unix socket can be.
func TestLongPathWorks(t *testing.T) {
	dir := newParallelFolder(t, strings.Repeat("long name ", 12), strings.Repeat("länger'\"$(x)", 8))
	require.Greater(t, len(dir), 200)
	requireServing(t, startServer(t, dir))
}

// If PostgreSQL's user cannot enter root's folder, the data is stored in a folder that it can enter.
func TestDataIsRelocatedIfOnlyRootCanEnter(t *testing.T) {
	skipUnlessRoot(t)
	dir := newParallelFolder(t)
	parent := filepath.Dir(dir)
	require.NoError(t, os.Chmod(parent, 0o700))
	t.Cleanup(func() {
		_ = os.RemoveAll(relocatedPath(dir))
		_ = os.Remove(filepath.Dir(relocatedPath(dir))) // fails unless the folder is empty
	})
	server := startServer(t, dir)
	require.Equal(t, relocatedPath(dir), server.data.path)
	require.True(t, HasData(dir))
	require.NoError(t, tb.Exec(t, server.OwnerURL(), `create table kept ()`))
	stopServer(t, server)
	require.NoDirExists(t, dir)
	require.NoError(t, os.Chmod(parent, 0o755)) // dir can now be made; the relocated data must be found
	require.NoError(t, tb.Exec(t, startServer(t, dir).OwnerURL(), `table kept`))
}

// Root can use a normal user's folder. A normal user cannot use root's folder.
func TestRootUsesTheFolderOfANormalUser(t *testing.T) {
	skipUnlessRoot(t)
	dir := newParallelFolder(t)
	asNobody := asUser(t, 65534, dir)
	normalUser := joinServer(t, dir, asNobody)
	rootServer := startServer(t, dir)
	require.EqualValues(t, 65534, rootServer.data.user.Uid)
	normalUser.leave(t)
	stopServer(t, rootServer) // root is the last user of the server
	rootServer = startServer(t, dir)
	joinServer(t, dir, asNobody).leave(t)
	stopServer(t, rootServer)
	joinServer(t, dir, asNobody).leave(t)

	dirOfRoot := newFolder(t)
	startServer(t, dirOfRoot)
	require.Contains(t, startPeer(t, dirOfRoot, asNobody).firstLine(t), "permission denied")
}

// asUser gives the parent of dir to the user. The returned function makes a command run as that user.
func asUser(t *testing.T, user uint32, dir string) func(*exec.Cmd) {
	parent := filepath.Dir(dir)
	require.NoError(t, os.Chown(parent, int(user), int(user)))
	return func(c *exec.Cmd) {
		program := filepath.Join(parent, "user")
		require.NoError(t, exec.CommandContext(t.Context(), "install", c.Path, program).Run())
		c.Path = program
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
}

func skipUnlessRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can show this")
	}
}

// initdb needs a user with a name. The error for one without, as in some containers, says how to add a name.
func TestUserWithoutNameIsExplained(t *testing.T) {
	skipUnlessRoot(t)
	dir := newParallelFolder(t)
	require.Contains(t, startPeer(t, dir, asUser(t, 54321, dir)).firstLine(t), "add a line for it to /etc/passwd")
}

func fakePostgres(t *testing.T, version string) string {
	folder := t.TempDir()
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "postgres"), []byte(script), 0o755))
	return folder
}

// PG_BIN replaces the search. Its version must be 15 or later, and that of the data if there is any.
func TestPGBINReplacesTheSearch(t *testing.T) {
	dir := newFolder(t)
	d := dataDir{path: dir}
	for _, c := range []struct {
		bin, writtenBy string
		needs          string // version in the error; "": the program is accepted
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
			require.NoError(t, os.MkdirAll(d.filePath(clusterFolder), 0o700))
			require.NoError(t, os.WriteFile(d.filePath(clusterFolder+"/PG_VERSION"), []byte(c.writtenBy+"\n"), 0o600))
		}
		folder, err := FindProgram(t.Context(), dir, "postgres")
		if c.needs != "" {
			require.ErrorContains(t, err, "dg needs PostgreSQL "+c.needs+" ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.bin, folder)
	}
}

// A link in PG_BIN or on PATH leads to the other programs. FindPrograms fails if initdb is missing beside postgres.
func TestProgramsAreThoseBesideTheLinksTarget(t *testing.T) {
	target := fakePostgres(t, "99.1")
	linkFolder := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(target, "postgres"), filepath.Join(linkFolder, "postgres")))
	t.Setenv("PG_BIN", linkFolder)
	require.Equal(t, target, tb.Must(FindProgram(t.Context(), newFolder(t), "postgres"))(t))
	_, err := FindPrograms(t.Context(), newFolder(t))
	require.ErrorContains(t, err, "with the program initdb: install it, set PG_BIN")

	t.Setenv("PG_BIN", "") // programs on PATH precede those of a distribution
	t.Setenv("PATH", linkFolder+":"+os.Getenv("PATH"))
	require.Equal(t, target, tb.Must(FindProgram(t.Context(), newFolder(t), "postgres"))(t))
}
