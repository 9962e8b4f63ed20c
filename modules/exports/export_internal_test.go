package exports

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// rules.md, CSV: export.started commits before the first byte. Neither file nor slot awaits export.finished.
func TestExportIsSentAndRecorded(t *testing.T) {
	b := setup(t)
	response := b.send(http.MethodGet)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, `attachment; filename="bung-1_2026-01-01_2026-01-02.csv"`,
		response.Header.Get("Content-Disposition"))
	require.Equal(t, "no-store, no-transform", response.Header.Get("Cache-Control"))
	id := testkit.Query[string](b.World, `select details->>'exportId' from audit_entries where action = 'export.started'`)
	detailsStart := `{"from": "2026-01-01", "to": "2026-01-02", "exportId": "` + id + `", `
	require.JSONEq(t, detailsStart+`"reportingMode": "pseudonymous"}`, b.readDetails("export.started"))
	lock := b.Begin(`lock table audit_entries in share mode`)
	require.Equal(t, 20_001, strings.Count(b.readBody(response), "\n"))
	require.Eventually(t, func() bool { return b.service.slots.Stats().Running == 0 },
		10*time.Second, 5*time.Millisecond, "the slot waits for the entry")
	require.Zero(t, b.CountRows(finishedEntriesSQL))
	require.NoError(t, b.WhileWaiting(lock, func() error { b.service.Drain(); return nil }, nil))
	require.JSONEq(t, detailsStart+`"rows": 20000, "outcome": "completed"}`, b.readDetails("export.finished"))
}

// If the rows fail after export.started was recorded, export.finished is recorded too.
func TestExportWhoseFirstRowsFailIsRecorded(t *testing.T) {
	b := setup(t)
	b.Exec(`revoke select on players from dg_app`)
	b.Exec(`grant select (org_id, ordinal) on players to dg_app`)
	response := b.send(http.MethodGet)
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Empty(t, response.Header.Get("Content-Disposition"))
	require.Contains(t, b.readDetails("export.started"), "exportId")
	require.Contains(t, b.finishedDetails(), `"rows": 0, "outcome": "failed"`)
}

// openapi.yaml, exportForkPlaysCsv: a key that is revoked before the first byte gets an error instead of a file. The
// export holds its slot while its fingerprint is computed.
func TestExportOfRevokedKeyIsRefused(t *testing.T) {
	b := setup(t)
	b.request.Query.MaxHashedPlays = 10
	b.request.Recheck = func(context.Context, *postgres.DB) error { return apperr.New(apperr.AuthRequired, "Revoked.") }
	lock := b.Begin(`lock table fork_days in access exclusive mode`)
	var response *http.Response
	require.NoError(t, b.WhileWaiting(lock, func() error {
		response = b.send(http.MethodGet)
		return nil
	}, func() {
		require.EqualValues(t, 1, b.service.slots.Stats().Running)
		<-time.After(recheckInterval)
	}))
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Contains(t, b.readBody(response), "Revoked.")
	require.Contains(t, b.finishedDetails(), `"outcome": "access_ended"`)
}

// The outcome in export.finished says why an export ended early.
func TestAbortedExportRecordsItsOutcome(t *testing.T) {
	for outcome, recheck := range map[string]func(ctx context.Context) error{
		"access_ended":         func(context.Context) error { return apperr.New(apperr.AccessDenied, "no") },
		"database_unavailable": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"failed":               func(context.Context) error { panic("index out of range") },
		"client_gone":          func(context.Context) error { return nil },
	} {
		t.Run(outcome, func(t *testing.T) {
			b := setup(t)
			var streaming atomic.Bool // whether the client has received the headers
			b.request.Recheck = func(ctx context.Context, _ *postgres.DB) error {
				if !streaming.Load() {
					return nil
				}
				return recheck(ctx)
			}
			response := b.send(http.MethodGet)
			streaming.Store(true)
			if outcome == "client_gone" {
				require.NoError(t, response.Body.Close())
			} else { // 200 KB a second: access is rechecked before the file ends
				var err error
				for ; err == nil; <-time.After(50 * time.Millisecond) {
					_, err = io.CopyN(io.Discard, response.Body, 10_000)
				}
				require.ErrorIs(t, err, syscall.ECONNRESET)
			}
			require.Contains(t, b.finishedDetails(), `"outcome": "`+outcome+`"`)
			require.Empty(t, b.service.turns, "each turn is given back")
		})
	}
}

// rules.md, CSV: the file name is ASCII, with the slug, the period and the group, for any slug.
func TestFileNamesAreASCII(t *testing.T) {
	period := tb.Must(reports.ParsePeriod("2024-02-29", "2024-03-01"))(t)
	for slug, prefix := range map[string]string{
		"onboarding_2024-A": "onboarding_2024-A_", "a\"; filename=\"evil.exe": "a-filename-evil-exe_",
		"../../etc/passwd": "etc-passwd_", "a\r\nSet-Cookie: x=y": "a-Set-Cookie-x-y_", "größe": "gr-e_", "-rf": "rf_",
		"\u202efdp.exe": "fdp-exe_", "日本": "", "": "", strings.Repeat("ab", 2000): strings.Repeat("ab", 40) + "_",
	} {
		for group, suffix := range map[string]string{"": "", "g-1": "_group-g-1"} {
			require.Equal(t, prefix+"2024-02-29_2024-03-01"+suffix+".csv",
				fileName(slug, reports.Query{Period: period, GroupID: group}), "%q", slug)
		}
	}
}

// rules.md, CSV and Failures: an export whose start cannot be recorded is not sent. If only its end cannot be
// recorded, it is sent in full. A failed export frees its slot, and a running export holds it.
func TestExportIsSentInFullOrNotAtAll(t *testing.T) {
	b := setup(t)
	const attempts = MaxConcurrentOfOrganisation + 1
	requireStatus := func(want int) {
		for range attempts {
			response := b.send(http.MethodGet)
			require.Equal(t, want, response.StatusCode)
			sent := want == http.StatusOK
			require.Equal(t, sent, response.Header.Get("Content-Disposition") != "")
			require.Equal(t, sent, strings.Contains(b.readBody(response), "playId,"))
			b.service.Drain()
			require.Zero(t, b.CountRows(finishedEntriesSQL), "no end without a start")
		}
		require.Zero(t, b.service.slots.Stats().Running)
	}
	foreignGroup := b.AddGroup(b.AddOrganisation(testkit.Organisation{}).ID)
	for _, group := range []string{b.request.Query.ForkID, foreignGroup} { // a fork's id is no group's id
		b.request.Query.GroupID = group
		requireStatus(http.StatusNotFound)
		for range attempts {
			require.Equal(t, http.StatusNotFound, b.send(http.MethodHead).StatusCode)
		}
	}
	b.request.Query.GroupID = ""
	b.beforeSend = func() { panic("index out of range") }
	requireStatus(http.StatusInternalServerError)
	b.beforeSend = nil
	b.Exec(`alter table audit_entries add constraint failing check (action <> 'export.started')`)
	requireStatus(http.StatusServiceUnavailable)
	b.Exec(`alter table audit_entries drop constraint failing, add check (action <> 'export.finished')`)
	requireStatus(http.StatusOK)
	for range MaxConcurrentOfOrganisation {
		require.Equal(t, http.StatusOK, b.send(http.MethodGet).StatusCode) // its body is not read, so it keeps its slot
	}
	refused := b.send(http.MethodGet)
	require.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	require.Contains(t, b.readBody(refused), "at most 4 run at once")
}

// Exports take turns to make blocks, but do not wait for an export whose database does not respond.
func TestExportsTakeTurns(t *testing.T) {
	b := setup(t)
	export := func() error {
		require.Equal(t, 20_001, strings.Count(b.readBody(b.send(http.MethodGet)), "\n"))
		return nil
	}
	var turnsTaken atomic.Int64 // turns taken while the first block is made
	b.request.Recheck = func(context.Context, *postgres.DB) error {
		turnsTaken.CompareAndSwap(0, int64(len(b.service.turns)))
		return nil
	}
	lock := b.Begin(`lock table audit_entries in share mode`)
	require.NoError(t, b.WhileWaiting(lock, export, func() { <-time.After(recheckInterval) }))
	require.EqualValues(t, 1, turnsTaken.Load())
	for range cap(b.service.turns) {
		b.service.turns <- struct{}{}
	}
	require.NoError(t, export())
	require.Len(t, b.service.turns, cap(b.service.turns))
}

// rules.md, Bounds: an export sends its first byte, or 503, within the request's deadline, even on a slow database.
func TestFirstByteTimesOutWithTheRequest(t *testing.T) {
	b := setup(t)
	b.firstByteTimeout = 300 * time.Millisecond
	lock := b.Begin(`lock table audit_entries in share mode`)
	began := time.Now()
	require.Equal(t, http.StatusServiceUnavailable, b.send(http.MethodGet).StatusCode)
	require.Less(t, time.Since(began), recordTimeout/4)
	require.NoError(t, lock.Rollback(t.Context()))

	b.firstByteTimeout = 3 * time.Second // enough time to begin the export on a busy machine
	b.Exec(`create function slow() returns boolean language plpgsql as
		$$ begin perform pg_sleep(20); return true; end $$`)
	b.Exec(`create policy slow on plays using (slow()); alter table plays enable row level security`)
	began = time.Now()
	require.Equal(t, http.StatusServiceUnavailable, b.send(http.MethodGet).StatusCode)
	require.Less(t, time.Since(began), blockTimeout)
	require.Contains(t, b.finishedDetails(), `"outcome": "database_unavailable"`)
}

// export.finished is recorded once, even if the database restarts. A lost reply is logged, not retried.
func TestEndIsRecordedAfterARestart(t *testing.T) {
	for sqlState, attempts := range map[string]int64{"57P01": 3, "08006": 1} {
		t.Run(sqlState, func(t *testing.T) {
			b, logged := setup(t), new(bytes.Buffer)
			b.service.logger = slog.New(slog.NewTextHandler(logged, nil))
			b.Exec(`create sequence attempts; grant usage on sequence attempts to public;
				create function down() returns trigger language plpgsql as $$ begin
				if nextval('attempts') < 3 then raise sqlstate '` + sqlState + `'; end if; return new; end $$;
				create trigger down before insert on audit_entries for each row
				when (new.action = 'export.finished') execute function down()`)
			b.readBody(b.send(http.MethodGet))
			b.service.pendingRecords.Wait()
			require.Equal(t, attempts, testkit.Query[int64](b.World, `select last_value from attempts`))
			require.Equal(t, attempts == 3, b.CountRows(finishedEntriesSQL) == 1)
			require.Equal(t, attempts == 1, strings.Contains(logged.String(), "request_id=request-0001"))
		})
	}
}

// rules.md, Bounds: a refused export's error names the limit that it reached.
func TestRefusedExportNamesTheLimit(t *testing.T) {
	for want, organisations := range map[string]string{ // letter: a request of that organisation; the last is refused
		"of this organisation: at most 4 run at once": "aaaa" + "a",
		"on this instance: at most 8 run at once":     "aaaabbbc" + "d",
	} {
		synctest.Test(t, func(t *testing.T) {
			metrics := prometheus.NewRegistry()
			s := New(nil, nil, nil, metrics, nil)
			outcomeSeries, err := testutil.GatherAndCount(metrics, "dg_exports_finished_total")
			require.NoError(t, err)
			require.Equal(t, len(outcomes)+1, outcomeSeries, "each has a value before its first event")
			for _, organisation := range organisations {
				require.NoError(t, err)
				_, err = s.slots.Acquire(t.Context(), string(organisation))
			}
			require.True(t, apperr.Is(err, apperr.Unavailable))
			require.Equal(t, 5, apperr.From(err).RetryAfter)
			require.Equal(t, "Too many exports "+want+". Retry in 5 seconds.", apperr.From(err).Message)
		})
	}
}

// doc.go: access is rechecked at most twice a second. Lost access and a failed recheck have different errors.
func TestRecheckDistinguishesLostAccessFromFailure(t *testing.T) {
	for recheckErr, want := range map[error]error{
		nil:                                    nil,
		apperr.New(apperr.AuthRequired, "No."): errAccessEnded,
		apperr.New(apperr.AccessDenied, "No."): errAccessEnded,
		apperr.New(apperr.NotFound, "Gone."):   errAccessEnded,
		context.Canceled:                       context.Canceled,
	} {
		rechecks := 0
		withGate(t, func(t *testing.T, gate *Gate) {
			gate.recheck = func(context.Context) error { rechecks++; return recheckErr }
			enter := func() error {
				leave, err := gate.Enter()
				if err == nil {
					leave()
				}
				return err
			}
			time.Sleep(500*time.Millisecond - time.Nanosecond) // just below recheckInterval
			require.NoError(t, enter())
			require.Zero(t, rechecks)
			time.Sleep(time.Nanosecond)
			err := enter()
			require.ErrorIs(t, err, want)
			require.Equal(t, want == errAccessEnded, errors.Is(err, errAccessEnded))
			require.NoError(t, enter())
			require.Equal(t, 1, rechecks)
			require.Empty(t, gate.turns, "each turn is given back")
		})
	}
}

// rules.md, CSV: an export outlasts a restart of the database, without a block meanwhile, and ends 9 s after its loss.
func TestRecheckOutlastsARestartOfTheDatabase(t *testing.T) {
	for outage, want := range map[time.Duration]error{2 * time.Second: nil, time.Hour: context.DeadlineExceeded} {
		withGate(t, func(t *testing.T, gate *Gate) {
			time.Sleep(recheckInterval)
			began := time.Now()
			gate.recheck = func(ctx context.Context) error {
				if time.Since(began) == 0 { // the connection belongs to a server that is lost
					<-ctx.Done()
					return ctx.Err()
				}
				if time.Since(began) < outage {
					return syscall.ECONNREFUSED
				}
				return nil
			}
			require.ErrorIs(t, tb.ErrorOf(gate.Enter()), want)
			require.Equal(t, min(outage+recheckInterval, blockTimeout), time.Since(began))
		})
	}
}

// Downloads recheck one at a time: after a failover, the pool's second connection is then still unused.
func TestRechecksRunOneAtATime(t *testing.T) {
	withGate(t, func(t *testing.T, gate *Gate) {
		time.Sleep(recheckInterval)
		gate.rechecking <- struct{}{} // of another download
		gate.recheck = func(context.Context) error { panic("two at a time") }
		require.ErrorIs(t, tb.ErrorOf(gate.Enter()), context.DeadlineExceeded)
	})
}

// withGate calls f with a gate whose actor keeps access, in virtual time.
func withGate(t *testing.T, f func(*testing.T, *Gate)) {
	synctest.Test(t, func(t *testing.T) {
		g := &Gate{beganAt: time.Now(), recheckedAt: time.Now()}
		g.turns, g.rechecking = make(chan struct{}, 1), make(chan struct{}, 1)
		g.recheck = func(context.Context) error { return nil }
		g.Context, g.stop = context.WithCancelCause(t.Context())
		defer g.Close()
		f(t, g)
	})
}

// rules.md, CSV: a download ends after 30 minutes, although its actor still has access.
func TestDownloadEndsAfterThirtyMinutes(t *testing.T) {
	withGate(t, func(t *testing.T, gate *Gate) {
		for began := time.Now(); time.Since(began) <= 30*time.Minute; time.Sleep(time.Second) {
			tb.Must(gate.Enter())(t)()
		}
		require.Equal(t, "time_limit", outcomeOf(tb.ErrorOf(gate.Enter())))
	})
}

// rules.md, Bounds: the first block has the request's deadline, each later block has 9 seconds.
func TestDeadlineOfTheFirstByteEndsNoLaterBlock(t *testing.T) {
	withGate(t, func(t *testing.T, gate *Gate) {
		gate.firstByteDeadline = time.Now().Add(5 * time.Second)
		for range 3 {
			leave := tb.Must(gate.Enter())(t)
			time.Sleep(4 * time.Second)
			leave()
		}
		tb.Must(gate.Enter())(t)
		time.Sleep(blockTimeout - time.Nanosecond)
		synctest.Wait()
		require.NoError(t, gate.Context.Err())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.ErrorIs(t, context.Cause(gate.Context), context.DeadlineExceeded)
	})
}

// fixture is a server with one route, which exports a fork with 20,000 plays.
type fixture struct {
	*testkit.World
	t          *testing.T
	db         *postgres.DB // its lock timeout exceeds the tests' waits
	url        string
	service    *Service
	request    Request // the export that the route opens
	beforeSend func()  // called before Send; may be nil

	firstByteTimeout time.Duration // timeout of the route; 0: the server's default
}

func setup(t *testing.T) *fixture {
	t.Parallel()
	b := &fixture{World: testkit.New(t), t: t}
	fork := b.AddFork(testkit.Fork{OrganisationID: b.AddOrganisation(testkit.Organisation{}).ID, Slug: "Übung 1"})
	b.AddPlayers(fork.OrganisationID, 5)
	b.AddPlays(fork, 20_000, fork.CreatedAt, time.Second)
	b.db = pgtest.Open(t, b.URL, postgres.Options{LockTimeout: 20 * time.Second, MaxConns: 10})
	b.request = Request{
		Query: reports.Query{
			OrganisationID: fork.OrganisationID, ForkID: fork.ID, Period: reports.Period{From: fork.CreatedAt, Days: 2},
		},
		Slug: fork.Slug, Actor: audit.Actor{Kind: audit.Person, ID: "ann", Name: "Ann"},
		Request: audit.Request{Method: "GET", Path: "/export", ID: "request-0001"},
		Recheck: func(context.Context, *postgres.DB) error { return nil },
	}
	options := reports.Options{FixedPseudonyms: true, PlayerVersions: true}
	b.service = New(reports.New(b.db, options), audit.New(b.db), b.db, nil, slog.Default())
	server := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler), Grace: time.Millisecond})
	server.App().Get("/export", func(c *fiber.Ctx) error {
		if b.firstByteTimeout > 0 {
			ctx, cancel := context.WithTimeout(c.UserContext(), b.firstByteTimeout)
			defer cancel()
			c.SetUserContext(ctx)
		}
		export, err := b.service.Open(c, b.request)
		if err != nil {
			return err
		}
		defer export.Close()
		if b.beforeSend != nil {
			b.beforeSend()
		}
		return export.Send(c)
	})
	ln := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(b.t)
	b.url = "http://" + ln.Addr().String() + "/export"
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	b.t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		<-served
		b.service.Drain()
	})
	return b
}

// send requests the export. The server blocks until the caller reads the body, because the socket buffers are small.
func (b *fixture) send(method string) *http.Response {
	transport := &http.Transport{
		DisableCompression: true,
		DisableKeepAlives:  true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				err = conn.(*net.TCPConn).SetReadBuffer(16 << 10)
			}
			return conn, err
		},
	}
	request := tb.Must(http.NewRequestWithContext(b.t.Context(), method, b.url, http.NoBody))(b.t)
	response := tb.Must((&http.Client{Transport: transport}).Do(request))(b.t)
	b.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func (b *fixture) readBody(response *http.Response) string {
	return string(tb.Must(io.ReadAll(response.Body))(b.t))
}

func (b *fixture) readDetails(action string) string {
	return testkit.Query[string](b.World, `select details::text from audit_entries where action = $1`, action)
}

// finishedDetails returns the details of export.finished. It waits for the entry and for the release of the connection.
func (b *fixture) finishedDetails() string {
	require.Eventually(b.t, func() bool {
		return b.CountRows(finishedEntriesSQL) == 1 && b.db.Pool.Stat().AcquiredConns() == 0
	}, 10*time.Second, 5*time.Millisecond)
	return b.readDetails("export.finished")
}

const finishedEntriesSQL = `audit_entries where action = 'export.finished'`
