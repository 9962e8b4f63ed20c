package exports_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// What another transaction locks to stop one of the two statements with which an export starts.
const (
	stopsTheEntry = `lock table audit_entries in share mode`
	stopsTheRows  = `lock table players in access exclusive mode`
)

// The locks of the two statements. PostgreSQL keeps them until the transaction ends.
const (
	ofThisDatabase = " and database = (select oid from pg_database where datname = current_database())"
	lockOfEntry    = "relation = 'audit_entries'::regclass and mode = 'RowExclusiveLock'" +
		ofThisDatabase
	lockOfRows = "relation = 'players'::regclass and mode = 'AccessShareLock'" + ofThisDatabase
)

// stopped is an export whose start waits for a lock.
type stopped struct {
	*bundle
	tx     pgx.Tx
	leave  context.CancelFunc
	status chan int // of the answer; 0: none
}

func (b *bundle) stop(lock string) *stopped {
	b.t.Helper()
	tx := b.Begin(lock)
	ctx, leave := context.WithCancel(b.t.Context())
	s := &stopped{b, tx, leave, make(chan int, 1)}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url, http.NoBody)
	require.NoError(b.t, err)
	go func() {
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			s.status <- 0
			return
		}
		s.status <- response.StatusCode
		_ = response.Body.Close()
	}()
	return s
}

// statement waits until the statement has its lock, or waits for it.
func (s *stopped) statement(lock string, granted bool) {
	s.t.Helper()
	s.until(`select exists (select from pg_locks where granted = $1 and `+lock+`)`, granted)
	require.Empty(s.t, s.status, "nothing is sent before both are there")
}

func (s *stopped) until(sql string, args ...any) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		return fixtures.One[bool](s.Database, sql, args...)
	}, 10*time.Second, 5*time.Millisecond, sql)
}

func (s *stopped) goOn() { require.NoError(s.t, s.tx.Rollback(context.Background())) }

func (s *stopped) answers(status int) {
	s.t.Helper()
	require.Equal(s.t, status, <-s.status)
	s.untilFree()
}

// rules.md, CSV: the first rows are read while the entry of the start commits, and nothing is sent
// before both are there.
func TestFirstRowsAreReadWhileTheEntryCommits(t *testing.T) {
	s := setup(t).stop(stopsTheEntry)
	s.statement(lockOfEntry, false)
	s.statement(lockOfRows, true)
	s.goOn()
	s.answers(http.StatusOK)
}

func TestEntryCommitsWhileTheFirstRowsAreRead(t *testing.T) {
	s := setup(t).stop(stopsTheRows)
	s.statement(lockOfRows, false)
	s.until(`select exists (select from audit_entries where action = 'export.started')`)
	require.Empty(t, s.status, "nothing is sent before both are there")
	s.goOn()
	s.answers(http.StatusOK)
}

// The entry fails while the rows are there.
func TestExportWhoseEntryFailsLateIsRefused(t *testing.T) {
	s := setup(t).stop(stopsTheEntry)
	s.statement(lockOfEntry, false)
	s.statement(lockOfRows, true)
	_, err := s.db.Pool.Exec(t.Context(),
		`select pg_terminate_backend(pid) from pg_locks where not granted and `+lockOfEntry)
	require.NoError(t, err)
	s.answers(http.StatusServiceUnavailable)
	s.goOn()
	require.Zero(t, s.entries("export.started"))
	require.Zero(t, s.entries("export.finished"))
}

// The rows fail while the entry is there: both entries are.
func TestExportWhoseFirstRowsFailIsRecorded(t *testing.T) {
	b := setup(t)
	b.Exec(`revoke select on players from dg_app`)
	response := b.send(http.MethodGet)
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Empty(t, response.Header.Get("Content-Disposition"))
	require.Contains(t, b.entry("export.started"), "exportId")
	details := b.entry("export.finished")
	require.Contains(t, details, `"outcome": "failed"`)
	require.Contains(t, details, `"rows": 0`)
	b.untilFree()
}

// The client leaves meanwhile: an entry of the start that commits has one of the end, whichever of
// the two is waited for.
func TestClientLeavesBeforeTheFirstByte(t *testing.T) {
	for _, lock := range []string{stopsTheEntry, stopsTheRows} {
		t.Run(strings.Fields(lock)[2], func(t *testing.T) {
			s := setup(t).stop(lock)
			if lock == stopsTheEntry {
				s.statement(lockOfEntry, false)
				s.statement(lockOfRows, true)
			} else {
				s.statement(lockOfRows, false)
			}
			s.leave()
			require.Zero(t, <-s.status)
			// Its rows are given up, long before the bound of waiting for a lock.
			s.until(`select not exists (select from pg_locks where ` + lockOfRows + `)`)
			s.goOn()
			require.Contains(t, s.entry("export.finished"), `"outcome": "client_gone"`)
			require.Equal(t, 1, s.entries("export.started"))
		})
	}
}

// rules.md, CSV: the last chunk of a whole file does not wait for the entry of its end. On a slow
// disk the entry took as long as the write deadline, and whole files lost their end.
func TestWholeExportDoesNotWaitForItsEnd(t *testing.T) {
	b := setup(t)
	response := b.send(http.MethodGet)
	entry := b.Begin(stopsTheEntry)
	file, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 20_001, strings.Count(string(file), "\n"))
	require.Zero(t, b.entries("export.finished"))
	require.NoError(t, entry.Rollback(t.Context()))
	require.Contains(t, b.entry("export.finished"), `"outcome": "completed"`)
}

// rules.md, Failures: one whose end cannot be written is whole.
func TestExportWhoseEndCannotBeRecordedIsWhole(t *testing.T) {
	b := setup(t)
	response := b.send(http.MethodGet)
	b.Exec(`revoke insert on audit_entries from dg_app`)
	file, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 20_001, strings.Count(string(file), "\n"))
	b.service.Drain(t.Context())
	require.Zero(t, b.entries("export.finished"))
}
