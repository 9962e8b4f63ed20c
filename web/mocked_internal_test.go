package web

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/org"
	"dg/platform/httpserver"
	"dg/web/ui"
)

// mocked is the screens over mocks of the modules, without a database. An owner of Acme is signed
// in, and every call succeeds but the one that a test lets fail.
type mocked struct {
	t     *testing.T
	mocks mockTester
	url   string

	// the call that returns something of another organisation, as if its SQL forgot the
	// organisation; "": none
	foreign string

	mu      sync.Mutex
	calls   []string // of the request, in their order
	failing int      // which of the calls fails, from 1; 0: none
	failure error
}

// marker is in all that the modules return, and only a screen that succeeds shows it. No random id
// has its last character. It has four, as a secret is shown in groups of four.
const marker = "MAR!"

// mockedNow is the clock of the screens.
var mockedNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// mockTester is the test as the mocks see it. A *testing.T requires each mocked method to be called
// before the test ends.
type mockTester interface {
	mock.TestingT
	Cleanup(func())
}

// someCalls is the mockTester of a test that does not call all methods.
type someCalls struct{ *testing.T }

// Cleanup drops the requirement.
func (someCalls) Cleanup(func()) {}

// newMocked starts the screens with the policy.
func newMocked(t *testing.T, mocks mockTester, policy ui.Policy) (*mocked, *fiber.App) {
	t.Helper()
	s := &mocked{t: t, mocks: mocks}
	m := s.modules(policy)
	h, err := New(m, "http://127.0.0.1", func() time.Time { return mockedNow })
	require.NoError(t, err)
	server := httpserver.New(httpserver.Options{
		Logger:    slog.New(slog.DiscardHandler),
		Grace:     time.Second,
		ErrorPage: h.ErrorPage,
	})
	h.Mount(server.App())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.url = "http://" + ln.Addr().String()
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		served.Wait()
	})
	return s, server.App()
}

// send sends a request of a page of the site in which that call of a module fails, and returns the
// answer and all calls.
func (s *mocked) send(
	method, path, form string, failing int, failure error,
) (*http.Response, string, []string) {
	s.t.Helper()
	s.mu.Lock()
	s.calls = nil
	s.failing = failing
	s.failure = failure
	s.mu.Unlock()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path,
		strings.NewReader(form))
	require.NoError(s.t, err)
	request.Header = http.Header{
		"Accept":         {"text/html"},
		"Sec-Fetch-Site": {"same-origin"},
		"Cookie":         {ui.SessionCookie + "=token"},
	}
	if form != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	return response, string(body), s.calls
}

// called records a call and returns its error.
func (s *mocked) called(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls = append(s.calls, name); len(s.calls) == s.failing {
		return s.failure
	}
	return nil
}

// give records a call and returns the value, or the call's error alone.
func give[T any](s *mocked, name string, value T) (T, error) {
	if err := s.called(name); err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// owner is the organisation of what the call returns.
func (s *mocked) owner(call string) string {
	if s.foreign == call {
		return "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e49"
	}
	return acme.ID
}

// forkOf is the fork as the call returns it.
func (s *mocked) forkOf(call string) games.Fork {
	f := fork
	f.OrganisationID = s.owner(call)
	return f
}

// membership is Ann's in Acme as the call returns it.
func (s *mocked) membership(call string) org.Membership {
	return org.Membership{OrganisationID: s.owner(call), Organisation: acme, Role: org.RoleOwner}
}
