package exports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
)

// mockedServer is a server whose one route exports an empty report, over mocks. Every call succeeds but
// the one that a test lets fail.
type mockedServer struct {
	t       *testing.T
	url     string
	service *Service

	mu      sync.Mutex
	calls   []string // of the request, in their order
	failing string   // the call that fails; "": none
	failure error
}

func newMocked(t *testing.T) *mockedServer {
	t.Helper()
	m := &mockedServer{t: t}
	plays := &mockReports{}
	log := &mockAuditLog{}
	plays.On("OpenExport", mock.Anything, mock.Anything, mock.Anything).Return(
		func(context.Context, reports.Query, reports.Format) (*reports.Export, error) {
			return &reports.Export{}, m.called("Reports.OpenExport")
		})
	plays.On("Header", mock.Anything, mock.Anything).
		Return(func(context.Context, reports.Query) (reports.Header, error) {
			return reports.Header{}, m.called("Reports.Header")
		})
	log.On("Append", mock.Anything, mock.Anything).
		Return(func(_ context.Context, e audit.Entry) error {
			return m.called(fmt.Sprint(e.Action, " ", e.Details["outcome"]))
		})
	m.service = New(plays, log, nil)
	server := httpserver.New(httpserver.Options{
		Logger: slog.New(slog.DiscardHandler),
		Grace:  time.Second,
	})
	server.App().Get("/", func(c *fiber.Ctx) error {
		return m.service.Send(c, Request{
			Query: reports.Query{
				OrganisationID: "acme",
				ForkID:         "fork",
				Period:         reports.Period{From: time.Unix(0, 0), Days: 1},
			},
			Actor:     audit.Actor{Kind: audit.Key, ID: "key"},
			Authorize: func(reports.Header) error { return nil },
			Recheck:   func(context.Context) error { return nil },
		})
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m.url = "http://" + ln.Addr().String()
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		served.Wait()
	})
	return m
}

// called records a call and returns its error.
func (m *mockedServer) called(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls = append(m.calls, name); name == m.failing {
		return m.failure
	}
	return nil
}

// send requests the export while that call fails, and returns the answer and all calls.
func (m *mockedServer) send(
	method, failing string, failure error,
) (response *http.Response, body string, calls []string) {
	m.t.Helper()
	m.mu.Lock()
	m.calls = nil
	m.failing = failing
	m.failure = failure
	m.mu.Unlock()
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.url, http.NoBody)
	require.NoError(m.t, err)
	response, err = http.DefaultTransport.RoundTrip(request)
	require.NoError(m.t, err)
	defer response.Body.Close()
	file, err := io.ReadAll(response.Body)
	require.NoError(m.t, err, "no response is broken off")
	m.service.Drain(m.t.Context())
	m.mu.Lock()
	defer m.mu.Unlock()
	return response, string(file), m.calls
}

// The calls of an export, in their order.
const (
	open     = "Reports.OpenExport"
	started  = "export.started <nil>"
	finished = "export.finished completed"
	head     = "Reports.Header"
)

// rules.md, CSV and Failures: what fails before the first byte is an error without data, an export
// whose start cannot be recorded is not sent, and one whose end cannot be recorded is whole all the
// same.
func TestEachFailingCallOfAnExport(t *testing.T) {
	t.Parallel()
	const header = "playId,"
	for kind, failure := range map[string]struct {
		err    error
		status int // where the answer is the failure's own
	}{
		"unavailable": {
			&apperr.Error{
				Code:       apperr.Unavailable,
				Message:    "Busy.",
				RetryAfter: 7,
			}, http.StatusServiceUnavailable,
		},
		"timeout":    {context.DeadlineExceeded, http.StatusServiceUnavailable},
		"cancelled":  {context.Canceled, http.StatusServiceUnavailable},
		"not found":  {reports.ErrGroupNotFound, http.StatusNotFound},
		"unexpected": {errors.New("internals"), http.StatusInternalServerError},
	} {
		for failing, want := range map[string]struct {
			method string
			status int
			calls  []string
			file   bool
		}{
			"":   {http.MethodGet, http.StatusOK, []string{open, started, finished}, true},
			open: {http.MethodGet, failure.status, []string{open}, false},
			started: {
				http.MethodGet, http.StatusServiceUnavailable, []string{open, started}, false,
			},
			finished: {http.MethodGet, http.StatusOK, []string{open, started, finished}, true},
			head:     {http.MethodHead, failure.status, []string{head}, false},
		} {
			t.Run(kind+", "+failing, func(t *testing.T) {
				t.Parallel()
				m := newMocked(t)
				for range MaxAtOnceOfOrganisation + 1 { // each frees its slot
					response, body, calls := m.send(want.method, failing, failure.err)
					require.Equal(t, want.status, response.StatusCode, body)
					require.Equal(t, want.calls, calls)
					require.Equal(t, want.file,
						len(body) > len(header) && body[:len(header)] == header, body)
					require.Equal(t, want.file, response.Header.Get("Content-Disposition") != "")
					require.NotContains(t, body, "internals")
				}
			})
		}
	}
}
