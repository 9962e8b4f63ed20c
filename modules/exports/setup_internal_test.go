package exports

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/httpserver"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

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
	b.service = New(reports.New(b.db, options), audit.New(b.db), b.db, nil)
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
