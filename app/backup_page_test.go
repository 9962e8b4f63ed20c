package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// pageCommands are the shell commands of the page about backups of a server of one's own, block by block.
func pageCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "configs", "deploy", "backup.md"))
	require.NoError(t, err)
	var blocks []string
	for _, match := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, match[1])
	}
	require.Len(t, blocks, 3)
	return blocks
}

// externalDemo is a server that holds the demo.
func externalDemo(t *testing.T) *external {
	t.Helper()
	dir := newFolder(t)
	copyDemo(t, dir)
	return externalOn(t, dir)
}

// The page's commands, run as they are on another server: keys work, every row is the same, and the serving role's rights too.
func TestBackupPageOfAnotherServer(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	blocks := pageCommands(t)
	from, to, folder := externalDemo(t), newExternal(t), t.TempDir()
	c := from.serve("--demo")
	token := demoToken(t, c)
	d := openDoor(t, from.dir)
	programs := read[string](t, d, `select setting from pg_config where name = 'BINDIR'`)
	sh := func(x *external, script string) {
		t.Helper()
		dg, err := binary()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", `dg() { "$DG" --log-level=warn "$@"; }; `+script)
		cmd.Dir = folder
		cmd.Env = append(cleanEnvironment(), "DG="+dg, "PATH="+programs+":"+os.Getenv("PATH"),
			"DG_DATABASE_URL="+x.url(url.User("dg_app")), "DG_MIGRATE_DATABASE_URL="+x.url(url.User("dg_owner")))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", script, out)
	}
	c.stop()
	sh(from, blocks[0]+blocks[2])
	sh(to, blocks[1]+"dg keys revoke --from revoked.txt\n")
	want := d.hashes(t)
	want["sessions"], want["account_resets"] = "0 ", "0 "
	d2 := openDoor(t, to.dir)
	require.Equal(t, want, d2.hashes(t))
	require.Equal(t, d.rights(t), d2.rights(t))
	again := to.serve()
	require.Equal(t, 200, ask(t, client(), again.url+"/api/v1/forks", token).StatusCode)
}

// The page's URL names two hosts: dg serves on the one that takes writes, and on the other once that is promoted.
func TestFailoverByTargetSessionAttributes(t *testing.T) {
	t.Parallel()
	primary := externalDemo(t)
	c := primary.serve("--demo")
	token := demoToken(t, c)
	c.stop()
	d := openDoor(t, primary.dir)
	programs := read[string](t, d, `select setting from pg_config where name = 'BINDIR'`)
	d.close(t)
	primary.stop()
	standby := &external{t: t, dir: newFolder(t)}
	standby.link = filepath.Join(filepath.Dir(standby.dir), "socket")
	nothingRuns(t, primary.dir, goneWithin)
	out, err := exec.CommandContext(t.Context(), "cp", "-a", primary.dir, standby.dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Symlink("nowhere", standby.link))
	standby.startStandby(programs)
	primary.start()

	both := func(role string) string {
		return strings.Replace(primary.url(url.User(role)), "host=", "target_session_attrs=read-write&host="+url.QueryEscape(standby.link+","), 1)
	}
	c = launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--database-url", both("dg_app"),
		"--migrate-database-url", both("dg_owner")).untilServing()
	answers := func() bool { return ask(t, client(), c.url+"/api/v1/forks", token).StatusCode == 200 }
	require.True(t, answers())
	primary.die()
	doorTo(t, standby.url(url.User("postgres"))).exec(t, `select pg_promote()`)
	until(t, 20*time.Second, "dg does not serve on the promoted server", answers)
}
