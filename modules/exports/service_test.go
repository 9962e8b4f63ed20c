package exports_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

// bundle is a server whose one route exports the fork.
type bundle struct {
	*testkit.World
	t       *testing.T
	db      *postgres.DB // waits longer for locks than tests do
	url     string
	service *exports.Service
	request exports.Request // what the route asks for
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{World: testkit.New(t), t: t}
	fork := b.Fork(testkit.Fork{
		OrganisationID: b.Organisation(testkit.Organisation{}).ID, Slug: "Übung 1",
	})
	b.Players(fork.OrganisationID, 5)
	b.Plays(fork, 20_000, fork.CreatedAt, time.Second)
	b.db = pgtest.Open(t, b.URL, postgres.Options{LockTimeout: 20 * time.Second})
	b.service = exports.New(reports.New(b.db), audit.New(b.db), nil)
	b.request = exports.Request{
		Query: reports.Query{
			OrganisationID: fork.OrganisationID, ForkID: fork.ID,
			Period: reports.Period{From: fork.CreatedAt, Days: 1},
		},
		Slug: fork.Slug, Actor: audit.Actor{Kind: audit.Person, ID: "ann", Name: "Ann"},
		Request:   audit.Request{Method: "GET", Path: "/export", ID: "request-0001"},
		Authorize: func(reports.Header) error { return nil },
		Recheck:   func(context.Context) error { return nil },
	}
	server := httpserver.New(httpserver.Options{
		Logger: slog.New(slog.DiscardHandler),
		Grace:  time.Millisecond,
	})
	server.App().Get("/export", func(c *fiber.Ctx) error {
		return b.service.Send(c, b.request)
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b.url = "http://" + ln.Addr().String() + "/export"
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		<-served
		b.service.Drain(context.Background())
	})
	return b
}

// send requests the export; the caller reads the body. What it does not read is not sent: little
// fits on the way.
func (b *bundle) send(method string) *http.Response {
	b.t.Helper()
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
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.url, http.NoBody)
	require.NoError(b.t, err)
	response, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// entry waits for the one entry of the action and returns its details as text.
func (b *bundle) entry(action string) (details string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		return b.entries(action) == 1
	}, 10*time.Second, 5*time.Millisecond, action)
	return testkit.One[string](b.World,
		`select details::text from audit_entries where action = $1`, action)
}

// untilFree waits until the connections of exports are given back.
func (b *bundle) untilFree() {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		return b.db.Pool.Stat().AcquiredConns() == 0
	}, 10*time.Second, time.Millisecond)
}

func (b *bundle) entries(action string) int {
	b.t.Helper()
	return testkit.One[int](b.World, `select count(*) from audit_entries where action = $1`,
		action)
}

func TestExportIsSentAndRecorded(t *testing.T) {
	b := setup(t)
	response := b.send(http.MethodGet)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, `attachment; filename="bung-1_2026-01-01_2026-01-01.csv"`,
		response.Header.Get("Content-Disposition"))
	require.Equal(t, "no-store, no-transform", response.Header.Get("Cache-Control"))
	id := testkit.One[string](b.World,
		`select details->>'exportId' from audit_entries where action = 'export.started'`)
	require.JSONEq(t,
		`{"from": "2026-01-01", "to": "2026-01-01", "exportId": "`+id+
			`", "reportingMode": "pseudonymous"}`,
		b.entry("export.started"), "recorded before the first byte")
	require.Zero(t, b.entries("export.finished"))
	file, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 20_001, strings.Count(string(file), "\n"))
	require.JSONEq(t,
		`{"from": "2026-01-01", "to": "2026-01-01", "exportId": "`+id+
			`", "rows": 20000, "outcome": "completed"}`, b.entry("export.finished"))
}

func TestHeadAndUnknownGroupRecordNothing(t *testing.T) {
	b := setup(t)
	response := b.send(http.MethodHead)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NotEmpty(t, response.Header.Get("Content-Disposition"))
	b.request.Query.GroupID = b.request.Query.ForkID
	require.Equal(t, http.StatusNotFound, b.send(http.MethodGet).StatusCode)
	require.Zero(t, b.entries("export.started"))
}

// A group of which nobody played is suppressed like one with too few players.
func TestSuppressedExportIsItsHeaderRow(t *testing.T) {
	b := setup(t)
	b.request.Query.GroupID = b.Group(b.request.Query.OrganisationID,
		b.Players(b.request.Query.OrganisationID, 9)...)
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		response := b.send(method)
		require.Equal(t, "k-anonymity", response.Header.Get("X-DG-Report-Suppressed"))
		file, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, method == http.MethodGet, strings.HasPrefix(string(file), "playId,"))
		require.LessOrEqual(t, strings.Count(string(file), "\n"), 1)
	}
	require.Contains(t, b.entry("export.finished"), b.request.Query.GroupID)
}

// An export sends no data unless the audit log has an entry for it. A refused export frees its slot.
func TestExportThatCannotBeRecordedSendsNothing(t *testing.T) {
	b := setup(t)
	b.Exec(`revoke insert on audit_entries from dg_app`)
	for range exports.MaxAtOnceOfOrganisation + 1 {
		response := b.send(http.MethodGet)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), "could not be recorded in the audit log")
	}
	b.untilFree()
}

// The outcome says why an export ended early.
func TestOutcomeOfAbortedExport(t *testing.T) {
	for outcome, c := range map[string]struct {
		kind    audit.ActorKind
		recheck func(ctx context.Context) error
	}{
		"access_ended": {
			audit.Person, func(context.Context) error {
				return apperr.New(apperr.AccessDenied, "no")
			},
		},
		"key_unusable": {
			audit.Key, func(context.Context) error { return apperr.New(apperr.AuthRequired, "no") },
		},
		"database_unavailable": {audit.Key, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		"failed":      {audit.Key, func(context.Context) error { panic("index out of range") }},
		"client_gone": {audit.Key, func(context.Context) error { return nil }},
	} {
		t.Run(outcome, func(t *testing.T) {
			b := setup(t)
			b.request.Actor.Kind = c.kind
			var begun atomic.Bool // the client has the first bytes
			b.request.Recheck = func(ctx context.Context) error {
				if !begun.Load() {
					return nil
				}
				return c.recheck(ctx)
			}
			response := b.send(http.MethodGet)
			begun.Store(true)
			if outcome == "client_gone" {
				require.NoError(t, response.Body.Close())
			} else { // access is checked between blocks
				require.ErrorIs(t, readSlowly(response.Body), syscall.ECONNRESET)
			}
			require.Contains(t, b.entry("export.finished"), `"outcome": "`+outcome+`"`)
			b.untilFree()
		})
	}
}

// readSlowly reads at about 200 KB a second and returns how the body ended.
func readSlowly(body io.Reader) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.CopyN(io.Discard, body, 10_000); err != nil {
			return err
		}
	}
	return nil
}
