package chaos

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// phase is a moment of an import at which it can be held, and what is known of one that is broken
// off there.
type phase struct {
	name  string
	hold  func(*editions) (reached func(*apptest.Child) bool, release func())
	lines int    // how many it reads before the pipe says nothing more; 0: a whole file
	in    bool   // the import is in, whatever becomes of its process
	every string // the blow of every run; others, and those of no run, in chaos
}

var phases = []phase{
	{name: "wait", every: "Ctrl-C", hold: holdLock},
	{
		name:  "parse",
		every: "Ctrl-C",
		lines: 10,
		hold:  holdNothing(`state = 'idle in transaction' and query ~ 'staging.create'`),
	},
	{
		name:  "copy",
		every: "kill -9",
		lines: editionPlays,
		hold:  holdNothing(`query ~ 'copy "import_plays"'`),
	},
	{name: "merge", every: "kill -9", hold: holdTable("plays", `query ~ 'plays'`)},
	{name: "commit", every: "cut connection", in: true, hold: holdCommit},
	{name: "after the commit", in: true, hold: holdTable("fork_days", `query ~ 'reports.seal'`)},
}

// importing is a condition on the connection of an import.
func (e *editions) importing(condition string) bool { return e.working("dg import", condition) }

// working is a condition on the connections of a command.
func (e *editions) working(name, condition string) bool {
	return apptest.Read[bool](e.T, e.door,
		`select exists (select from pg_stat_activity where application_name = $1 and `+condition+
			`)`,
		name)
}

func holdNothing(reached string) func(*editions) (func(*apptest.Child) bool, func()) {
	return func(e *editions) (func(*apptest.Child) bool, func()) {
		return func(*apptest.Child) bool { return e.importing(reached) }, func() {}
	}
}

// holdLock is another import, which the import waits for.
func holdLock(e *editions) (reached func(*apptest.Child) bool, release func()) {
	release = e.holding(`select pg_advisory_xact_lock(hashtextextended('dg import', 0))`)
	return func(c *apptest.Child) bool {
		return strings.Contains(c.Log.String(), "another process holds the import lock: waiting")
	}, release
}

// holdTable keeps writers of a table waiting, and not its readers.
func holdTable(table, query string) func(*editions) (func(*apptest.Child) bool, func()) {
	return func(e *editions) (func(*apptest.Child) bool, func()) {
		release := e.holding(`lock table ` + table + ` in share row exclusive mode`)
		return func(*apptest.Child) bool {
			return e.importing(`wait_event_type = 'Lock' and ` + query)
		}, release
	}
}

// holding has a transaction that has run a statement.
func (e *editions) holding(sql string) (release func()) {
	tx, err := e.door.Begin(e.Context())
	require.NoError(e, err)
	_, err = tx.Exec(e.Context(), sql)
	require.NoError(e, err)
	return func() { _ = tx.Rollback(context.Background()) }
}

// holdCommit makes the import's commit wait for a standby that does not exist: it is durable, and
// nobody is told.
func holdCommit(e *editions) (reached func(*apptest.Child) bool, release func()) {
	merging, unlock := holdTable("plays", `query ~ 'plays'`)(e)
	set := func(to string) {
		e.door.Do(e.T, `alter system set synchronous_standby_names = '`+to+`'`)
		e.door.Do(e.T, `select pg_reload_conf()`)
		apptest.Until(e.T, 10*time.Second, "the setting is not in force", func() bool {
			return apptest.Read[string](e.T, e.door, `show synchronous_standby_names`) == to
		})
	}
	return func(c *apptest.Child) bool {
			if merging(c) { // earlier commits are not held
				set("nobody")
				unlock()
			}
			return e.importing(`wait_event = 'SyncRep'`)
		}, func() {
			unlock()
			set("")
		}
}

// blow is how an import is broken off, and what it says then if it is not in and if it is.
type blow struct {
	name   string
	strike func(*editions, *apptest.Child)
	status [2]int
	says   [2]string
}

var blows = []blow{
	{"kill -9", func(_ *editions, c *apptest.Child) { c.Kill() }, [2]int{-1, -1}, [2]string{}},
	{"Ctrl-C", func(e *editions, c *apptest.Child) {
		require.NoError(e, c.Process.Signal(os.Interrupt))
	}, [2]int{1, 0},
		[2]string{"dg: interrupted: nothing was imported\n", ""}},
	{"cut connection", func(e *editions, _ *apptest.Child) {
		e.door.Do(e.T,
			`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'dg import'`)
	}, [2]int{1, 0},
		[2]string{"dg: nothing was imported: the connection to the database was lost", ""}},
}

// on is what the blow does to an import at the phase.
func (b blow) on(p phase) (status int, says string) {
	switch {
	case !p.in:
		return b.status[0], b.says[0]
	case p.name == "commit" && b.name == "cut connection":
		return 1,
			"dg: the connection to the database was lost during the commit, so the import is in " +
				"wholly or not at all: import again"
	}
	return b.status[1], b.says[1]
}

// An import that is broken off is in wholly or not at all, whenever and however that happens. Who
// reads all the time sees the state before it or the one after, to the byte, and the same import
// run again gives the one after.
func TestBrokenImportIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	e := newEditions(t)
	o := beginChaos(t, e.door, e.dg)
	for _, p := range phases {
		for _, b := range blows {
			if apptest.Chaos || p.every == b.name {
				t.Run(p.name+", "+b.name, func(t *testing.T) { e.on(t).breaksOff(p, b) })
			}
		}
	}
	t.Run("two of one file", func(t *testing.T) { e.on(t).twoOfOneFile() })
	t.Run("two of two files", func(t *testing.T) { e.on(t).twoOfTwoFiles() })
	t.Run("revocations again", func(t *testing.T) { e.on(t).revocationsBreak() })
	if apptest.Chaos { // what is small has no segments
		t.Run("segments", func(t *testing.T) { e.on(t).rebuildBreaks() })
	}
	t.Run("full temporary disk", func(t *testing.T) { e.on(t).findsTheTemporaryDiskFull() })
	t.Run("erasure", func(t *testing.T) { e.on(t).erasureBreaks() })
	e.on(t).verdict()
	o.ends(t)
}

func (e *editions) breaksOff(p phase, b blow) {
	n := e.next()
	begun := time.Now()
	reached, release := p.hold(e)
	release = sync.OnceFunc(release)
	defer release()
	c, closePipe := e.beginImport(n, p.lines)
	defer closePipe()
	apptest.Until(e.T, time.Minute, "the import is never held", func() bool { return reached(c) })
	e.awaitReadings()
	b.strike(e, c)
	switch {
	case p.name == "commit" && b.name == "Ctrl-C": // waits for it
		release()
	case p.lines > 0 && b.name == "cut connection": // a pipe that says nothing is waited for
		closePipe()
	}
	status, says := b.on(p)
	require.Equal(e, status, c.Status(30*time.Second), "%s", c.Log.String())
	require.Contains(e, c.Log.String(), says)
	release()
	apptest.Until(e.T, 30*time.Second, "its work goes on", func() bool {
		return !e.importing(`true`)
	})
	if p.in {
		e.changed(begun)
	}
	e.awaitReadings()
	e.unchanged()
	e.imports(n, p.in)
}

func (e *editions) twoOfOneFile() {
	n := e.next()
	begun := time.Now()
	one, _ := e.beginImport(n, 0)
	other, _ := e.beginImport(n, 0)
	require.Zero(e, one.Status(time.Minute), "%s", one.Log.String())
	require.Zero(e, other.Status(time.Minute), "%s", other.Log.String())
	e.changed(begun)
	e.imports(n, true)
}

// twoOfTwoFiles replace the same plays: what stays is the whole of one of them.
func (e *editions) twoOfTwoFiles() {
	first := e.next()
	second := e.next()
	begun := time.Now()
	one, _ := e.beginImport(first, 0)
	other, _ := e.beginImport(second, 0)
	require.Zero(e, one.Status(time.Minute), "%s", one.Log.String())
	require.Zero(e, other.Status(time.Minute), "%s", other.Log.String())
	ended := time.Now()
	last := e.values()
	shown := []map[string]string{}
	for _, n := range []int{first, second} { // alone
		e.imports(n, false)
		shown = append(shown, e.values())
	}
	require.Contains(e, shown, last)
	for path, h := range e.seen { // which of the two came first is for the readings to say
		h.SetBefore(apptest.Change{Value: shown[0][path], Begun: begun, Ended: ended},
			apptest.Change{Value: shown[1][path], Begun: begun, Ended: ended})
	}
}

// findsTheTemporaryDiskFull stages an import on a disk that is too small for it.
func (e *editions) findsTheTemporaryDiskFull() {
	data, err := os.Stat(filepath.Join(e.x.Dir, "data"))
	require.NoError(e, err)
	owner := data.Sys().(*syscall.Stat_t)
	dir := filepath.Join(filepath.Dir(e.x.Dir), "temporary")
	require.NoError(e, os.Mkdir(dir, 0o755))
	options := fmt.Sprintf("size=512k,mode=700,uid=%d,gid=%d", owner.Uid, owner.Gid)
	if out, err := exec.CommandContext(e.Context(), "mount", "-t", "tmpfs", "-o", options,
		"dg-test",
		dir).CombinedOutput(); err != nil {
		e.Skipf("SKIPPED, NOTHING WAS TESTED: no disk can be mounted here: %v %s", err, out)
	}
	unmount := func() bool {
		return exec.CommandContext(context.Background(), "umount", dir).Run() == nil
	}
	e.Cleanup(func() { unmount() })
	e.door.Do(e.T, `create tablespace small location '`+dir+`'`)
	e.door.Do(e.T, `grant create on tablespace small to dg_owner`)
	e.door.Do(e.T, `alter role dg_owner set temp_tablespaces = small`)
	n := e.next()
	c, _ := e.beginImport(n, 0)
	require.Equal(e, 1, c.Status(time.Minute))
	require.Contains(e, c.Log.String(),
		"dg: nothing was imported: the disk of the database is full. Free some space")
	e.unchanged()
	e.door.Do(e.T, `alter role dg_owner reset temp_tablespaces`)
	e.door.Do(e.T, `drop tablespace small`)
	apptest.Until(e.T, 10*time.Second, "the disk is in use", unmount)
	e.imports(n, false)
}
