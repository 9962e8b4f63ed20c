package assembly_test

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/testkit/fixtures"
)

// tenant is an organisation with a fork and a key.
type tenant struct {
	fork fixtures.Fork
	key  fixtures.Key
}

func newTenant(db *fixtures.Database, plays int) tenant {
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 10)
	db.Plays(fork, plays, fork.CreatedAt, time.Second)
	return tenant{fork: fork, key: db.Key(fork.OrganisationID)}
}

// statistics returns the status of a small report.
func (w *world) statistics(of tenant) int {
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet,
		w.url+"/api/v1/forks/"+of.fork.ID+"/stats?from=2026-01-01&to=2026-01-31", http.NoBody)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+of.key.Token())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// inUse waits until that many connections of the pool are in use.
func inUse(t *testing.T, pool *pgxpool.Pool, want int32) {
	t.Helper()
	require.Eventually(t, func() bool {
		return pool.Stat().AcquiredConns() == want
	}, 10*time.Second, time.Millisecond, "%d connections", want)
}

// held is how many connections of the pool are held by what waits; the look-up of a fork takes one
// for a moment.
func held(pool *pgxpool.Pool) int32 {
	<-time.After(300 * time.Millisecond)
	least := pool.Stat().AcquiredConns()
	for range 100 {
		<-time.After(2 * time.Millisecond)
		least = min(least, pool.Stat().AcquiredConns())
	}
	return least
}

// 16 reports of one organisation that take long leave connections for another organisation's. They
// wait for a lock.
func TestReportsOfOneOrganisationLeaveRoomForOthers(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	first := newTenant(db, 100)
	second := newTenant(db, 100)
	tx, err := w.Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)

	var crowd sync.WaitGroup
	for range 16 {
		crowd.Go(func() { w.statistics(first) })
	}
	reads := w.p.Pools.Reads.Pool
	inUse(t, reads, reports.MaxReportsOfOrganisation)
	require.LessOrEqual(t, held(reads), int32(reports.MaxReportsOfOrganisation))
	crowd.Go(func() { w.statistics(second) })
	inUse(t, reads, reports.MaxReportsOfOrganisation+1)
	require.NoError(t, tx.Rollback(t.Context()))
	crowd.Wait()
	require.Equal(t, http.StatusOK, w.statistics(second))
}

// A key's whole minute may come at once: 120 small reports are answered, the next one is over the
// rate.
func TestWholeMinuteOfReportsAtOnceIsAnswered(t *testing.T) {
	w := start(t)
	of := newTenant(fixtures.On(t, w.Database), 100)
	var statuses [600]atomic.Int32
	var all sync.WaitGroup
	for range 120 {
		all.Go(func() { statuses[w.statistics(of)].Add(1) })
	}
	all.Wait()
	require.Equal(t, int32(120), statuses[http.StatusOK].Load())
	require.Equal(t, http.StatusTooManyRequests, w.statistics(of))
}

// Slow exports of three organisations, the first of which asks for more than it may have, leave a
// place for a fourth. Who leaves gives the place back.
func TestSlowExportsLeavePlacesForOthers(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	first := newTenant(db, 8_000)
	others := []tenant{newTenant(db, 8_000), newTenant(db, 8_000), newTenant(db, 100)}
	keys := []fixtures.Key{first.key, db.Key(first.fork.OrganisationID)}
	pool := w.p.Pools.Exports.Pool

	var asking sync.WaitGroup
	defer asking.Wait()
	var bodies []io.Closer
	for i := range exports.MaxAtOnceOfOrganisation {
		body := w.slowExport(keys[i%2].Token(), first.fork.ID)
		readSlowly(body, 50_000)
		bodies = append(bodies, body)
	}
	refused := make(chan int, 1)
	asking.Go(func() { refused <- w.exportStatus(keys[0].Token(), first.fork.ID) })
	for i, of := range others[:2] {
		readSlowly(w.slowExport(of.key.Token(), of.fork.ID), 50_000)
		inUse(t, pool, int32(exports.MaxAtOnceOfOrganisation+1+i))
	}
	require.Equal(t, http.StatusOK, w.exportStatus(others[2].key.Token(), others[2].fork.ID))
	require.Equal(t, http.StatusServiceUnavailable, <-refused)

	for _, body := range bodies[:2] { // beside the two others the first organisation may have three
		require.NoError(t, body.Close())
	}
	require.Equal(t, http.StatusOK, w.exportStatus(keys[0].Token(), first.fork.ID))
}

// When it stops, the program lets running exports continue for its grace, then aborts them visibly
// and records that.
func TestStoppingBreaksExportsOffVisibly(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	of := newTenant(db, 10_000)
	bodies := []io.Reader{
		w.slowExport(of.key.Token(), of.fork.ID), w.slowExport(of.key.Token(), of.fork.ID),
	}
	stopped := make(chan error, 1)
	begun := time.Now()
	go func() { stopped <- w.stop() }()
	require.NoError(t, <-stopped)
	require.GreaterOrEqual(t, time.Since(begun), grace, "running answers have a grace")
	for _, body := range bodies {
		_, err := io.Copy(io.Discard, body)
		require.ErrorIs(t, err, syscall.ECONNRESET, "a truncated file looks complete")
	}
	require.Equal(t, len(bodies), fixtures.One[int](db, `select count(*) from audit_entries
		where action = 'export.finished' and details->>'outcome' = 'server_stopped'
		  and (details->>'rows')::int between 1 and 9999`))
}
