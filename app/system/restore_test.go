package system

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/embeddedpg"
	"dg/platform/testkit/pgtest"
)

// restored is a new data folder with the backup in it.
func restored(t *testing.T, file string, args ...string) (dir, output string) {
	t.Helper()
	dir = apptest.NewFolder(t)
	c := apptest.Launch(t, append([]string{"restore", "--data-dir", dir, file}, args...)...)
	require.Zero(t, c.Status(5*time.Minute), "%s", c.Log.String())
	return dir, c.Out.String()
}

// A restore replaces no data, waits for nobody's end, and changes nothing when it fails or is
// killed.
func TestRestoreIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	full := apptest.NewFolder(t)
	apptest.CopyDemo(t, full)
	file, _ := apptest.BackUp(t, full)
	status, output := (&program{t: t, dir: full}).run("restore", file)
	require.Equal(t, 1, status)
	require.Contains(t, output, "the database holds data")
	require.Contains(t, output, "DG_DATA_DIR")

	p := &program{t: t, dir: apptest.NewFolder(t)}
	for name, content := range map[string]string{
		"no backup at all":         "PGDM",
		"a backup without its end": firstHalf(t, file),
	} {
		broken := filepath.Join(t.TempDir(), "broken")
		require.NoError(t, os.WriteFile(broken, []byte(content), 0o600))
		status, output = p.run("restore", broken)
		require.Equal(t, 1, status, name)
		require.Contains(t, output, "nothing was restored: pg_restore failed", name)
	}
	p.refusesAForeignDump(t)
	status, output = p.run("migrate")
	require.Zero(t, status, output)
	_, stop := p.serve("serve")
	status, output = p.run("restore", file)
	require.Equal(t, 1, status)
	require.Contains(t, output, "stop dg serve")
	stop()

	p.breaksOff(t, file, syscall.SIGINT)
	p.breaksOff(t, file, syscall.SIGKILL) // whose pg_restore runs on
	status, output = p.run("restore", file)
	require.Zero(t, status, output)
	require.NotZero(t, apptest.OpenDoor(t, p.dir).Tables(t)["plays"])
}

// breaksOff signals a restore while pg_restore runs, as Ctrl-C does: the whole process group. One
// that is interrupted says so and leaves nothing.
func (p *program) breaksOff(t *testing.T, file string, signal syscall.Signal) {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), p.dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	outside := apptest.DoorTo(t, strings.Replace(server.URL(), "/dg?", "/postgres?", 1))
	defer outside.Close()
	ofItsOwn := func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
	c := apptest.LaunchWith(t, ofItsOwn, "restore", "--data-dir", p.dir, file)
	apptest.Until(t, 20*time.Second, "nothing is restored", func() bool {
		return apptest.Read[bool](t, outside, `select exists (select from pg_stat_activity
			where datname = 'dg_restored' and application_name = 'pg_restore')`)
	})
	require.NoError(t, syscall.Kill(-c.Process.Pid, signal))
	if status := c.Status(20 * time.Second); signal == syscall.SIGINT {
		require.Equal(t, 1, status)
		require.Contains(t, c.Log.String(), "interrupted before it was done")
		require.NotContains(t, c.Out.String(), "Restored")
		require.Equal(t, "dg",
			apptest.Read[string](t, outside,
				`select string_agg(datname, ' ') from pg_database where datname like 'dg%'`))
	}
	d := apptest.DoorTo(t, server.URL())
	defer d.Close()
	require.Zero(t, d.Tables(t)["plays"])
}

func (p *program) refusesAForeignDump(t *testing.T) {
	server, err := embeddedpg.Start(t.Context(), p.dir, embeddedpg.Options{})
	require.NoError(t, err)
	foreign, err := os.Create(filepath.Join(t.TempDir(), "foreign"))
	require.NoError(t, err)
	// dg's database before its first migration
	require.NoError(t, server.Dump(t.Context(), foreign))
	require.NoError(t, foreign.Close())
	require.NoError(t, server.Stop(context.Background()))
	status, output := p.run("restore", foreign.Name())
	require.Equal(t, 1, status)
	require.Contains(t, output, "a dump of another database")
}

func firstHalf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text[:len(text)/2])
}
