package system

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

	"dg/app/apptest"
	"dg/platform/testkit/pgtest"
)

// pageCommands are the shell commands of the page about backups of a server of one's own, block by
// block.
func pageCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(apptest.InTree("configs", "deploy", "backup.md"))
	require.NoError(t, err)
	var blocks []string
	for _, match := range regexp.MustCompile("(?s)```sh\n(.*?)```").
		FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, match[1])
	}
	require.Len(t, blocks, 3)
	return blocks
}

// externalDemo is a server that holds the demo.
func externalDemo(t *testing.T) *apptest.External {
	t.Helper()
	dir := apptest.NewFolder(t)
	apptest.CopyDemo(t, dir)
	return apptest.ExternalOn(t, dir)
}

// The page's commands, run as they are on another server: keys work, every row is the same, and the
// serving role's rights too.
func TestBackupPageOfAnotherServer(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	blocks := pageCommands(t)
	from := externalDemo(t)
	to := apptest.NewExternal(t)
	folder := t.TempDir()
	c := from.Serve("--demo")
	token := demoToken(t, c)
	d := apptest.OpenDoor(t, from.Dir)
	programs := apptest.Read[string](t, d, `select setting from pg_config where name = 'BINDIR'`)
	sh := func(x *apptest.External, script string) {
		t.Helper()
		dg, err := apptest.Binary()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), "sh", "-ec",
			`dg() { "$DG" --log-level=warn "$@"; }; `+script)
		cmd.Dir = folder
		cmd.Env = append(apptest.CleanEnvironment(), "DG="+dg,
			"PATH="+programs+":"+os.Getenv("PATH"),
			"DG_DATABASE_URL="+x.URL(url.User("dg_app")),
			"DG_MIGRATE_DATABASE_URL="+x.URL(url.User("dg_owner")))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", script, out)
	}
	c.Stop()
	sh(from, blocks[0]+blocks[2])
	sh(to, blocks[1]+"dg keys revoke --from revoked.txt\n")
	want := hashes(t, d)
	want["sessions"] = "0 "
	want["account_resets"] = "0 "
	d2 := apptest.OpenDoor(t, to.Dir)
	require.Equal(t, want, hashes(t, d2))
	require.Equal(t, rights(t, d), rights(t, d2))
	again := to.Serve()
	require.Equal(t, 200,
		apptest.Ask(t, apptest.NewClient(), again.URL+"/api/v1/forks", token).StatusCode)
}

// The page's URL names two hosts: dg serves on the one that takes writes, and on the other once
// that is promoted.
func TestFailoverByTargetSessionAttributes(t *testing.T) {
	t.Parallel()
	primary := externalDemo(t)
	c := primary.Serve("--demo")
	token := demoToken(t, c)
	c.Stop()
	d := apptest.OpenDoor(t, primary.Dir)
	programs := apptest.Read[string](t, d, `select setting from pg_config where name = 'BINDIR'`)
	d.GiveBack(t)
	primary.Stop()
	standby := &apptest.External{T: t, Dir: apptest.NewFolder(t)}
	standby.Link = filepath.Join(filepath.Dir(standby.Dir), "socket")
	apptest.NothingRuns(t, primary.Dir, goneWithin)
	out, err := exec.CommandContext(t.Context(), "cp", "-a", primary.Dir, standby.Dir).
		CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Symlink("nowhere", standby.Link))
	startStandby(standby, programs)
	primary.Start()

	both := func(role string) string {
		return strings.Replace(primary.URL(url.User(role)), "host=",
			"target_session_attrs=read-write&host="+url.QueryEscape(standby.Link+","), 1)
	}
	c = apptest.Launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", both("dg_app"),
		"--migrate-database-url", both("dg_owner")).UntilServing()
	answers := func() bool {
		return apptest.Ask(t, apptest.NewClient(), c.URL+"/api/v1/forks", token).StatusCode == 200
	}
	require.True(t, answers())
	primary.Die()
	apptest.DoorTo(t, standby.URL(url.User("postgres"))).Do(t, `select pg_promote()`)
	apptest.Until(t, 20*time.Second, "dg does not serve on the promoted server", answers)
}
