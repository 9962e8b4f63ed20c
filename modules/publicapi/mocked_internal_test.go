package publicapi

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

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// mocked is the API over mocks of the modules, without a database. Acme has a key and a fork,
// Globex has others, and every call succeeds but the one that a test lets fail.
type mocked struct {
	t      *testing.T
	url    string
	token  string
	policy Policy
	places *limiter.Limiter // of one lease: one that is not released stops the next request

	scopes  []apikeys.Scope // of the key
	version int64           // of Acme: each request has one of its own, so that nothing is cached
	titles  string          // of the forks of Acme's list
	// whether modules return forks of Globex, as if the organisation were missing in their SQL
	foreign bool

	mu      sync.Mutex
	calls   []string // of the request, in their order
	failing int      // which of the calls fails, from 1; 0: none
	failure error
	refused []refusal
}

// refusal is what was recorded in the audit log.
type refusal struct {
	reason audit.Reason
	target audit.Target
}

// What the modules know.
const (
	acme         = "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40"
	globex       = "1c2d3e4f-5a3c-4d56-9a77-1f8f5a1c2e41"
	ownFork      = "2d3e4f50-5a3c-4d56-9a77-1f8f5a1c2e42"
	foreignFork  = "3e4f5061-5a3c-4d56-9a77-1f8f5a1c2e43"
	ownGroup     = "4f506172-5a3c-4d56-9a77-1f8f5a1c2e44"
	foreignGroup = "50617283-5a3c-4d56-9a77-1f8f5a1c2e45"
	unknown      = "61728394-5a3c-4d56-9a77-1f8f5a1c2e46"
	marker       = "MARK" // in all that modules return: no failure shows it
)

var realPolicy = sync.OnceValues(authz.New)

func newMocked(t *testing.T) *mocked {
	t.Helper()
	policy, err := realPolicy()
	require.NoError(t, err)
	token, err := apikeys.NewToken(strings.NewReader(strings.Repeat("x", 1000)))
	require.NoError(t, err)
	m := &mocked{
		t:      t,
		token:  token.String(),
		policy: policy,
		titles: marker,
		scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
		places: limiter.New(limiter.Limits{MaxConcurrent: 1}),
	}
	api, err := New(m.modules(), "http://127.0.0.1")
	require.NoError(t, err)
	server := httpserver.New(httpserver.Options{
		Logger: slog.New(slog.DiscardHandler),
		Grace:  time.Second,
	})
	api.Mount(server.App())
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

// send sends a request, "GET /api/v1/forks", in which that call of a module fails, and returns the
// answer and all calls.
func (m *mocked) send(
	request string, failing int, failure error,
) (*http.Response, string, []string) {
	m.t.Helper()
	m.mu.Lock()
	m.version++
	m.calls = nil
	m.refused = nil
	m.failing = failing
	m.failure = failure
	m.mu.Unlock()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(m.t.Context(), method, m.url+path, http.NoBody)
	require.NoError(m.t, err)
	r.Header.Set("Authorization", "Bearer "+m.token)
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(m.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(m.t, err)
	m.mu.Lock()
	defer m.mu.Unlock()
	return response, string(body), m.calls
}

// called records a call and returns its error.
func (m *mocked) called(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls = append(m.calls, name); len(m.calls) == m.failing {
		return m.failure
	}
	return nil
}

// give records a call and returns the value, or the call's error alone.
func give[T any](m *mocked, name string, value T, err error) (T, error) {
	if failure := m.called(name); failure != nil {
		var none T
		return none, failure
	}
	return value, err
}

func (m *mocked) modules() Modules {
	return Modules{
		Keys:    m.keys(),
		Games:   m.forks(),
		Reports: m.reports(),
		Exports: m.exports(),
		Orgs:    m.groups(),
		Policy:  m.authorizer(),
	}
}

const anything = mock.Anything

func (m *mocked) keys() Keys {
	k := &mockKeys{}
	k.On("Authenticate", anything, anything, anything).Return(
		func(context.Context, apikeys.Token, audit.Request) (apikeys.Caller, error) {
			caller := apikeys.Caller{
				KeyID: "key", KeyName: "BI", Scopes: m.scopes,
				OrganisationID: acme, OrganisationVersion: m.version,
			}
			return give(m, "Keys.Authenticate", caller, nil)
		})
	k.On("Refuse", anything, anything, anything, anything, anything, anything).Return(
		func(
			_ context.Context, _ apikeys.Caller, reason audit.Reason, target audit.Target,
			_ audit.Request, answer error,
		) error {
			if err := m.called("Keys.Refuse"); err != nil {
				return err
			}
			m.refused = append(m.refused, refusal{reason, target})
			return answer
		})
	k.On("RefuseOutside", anything, anything, anything, anything).Return(
		func(_ context.Context, _ string, _ audit.Request, answer error) error {
			_, err := give(m, "Keys.RefuseOutside", 0, answer)
			return err
		})
	k.On("StillUsable", anything, acme, "key").Return(
		func(context.Context, string, string) error { return m.called("Keys.StillUsable") })
	return k
}

func (m *mocked) forks() Forks {
	own := games.Fork{ID: ownFork, OrganisationID: acme, Title: marker, Slug: marker}
	f := &mockForks{}
	f.On("Forks", anything, acme).Return(func(context.Context, string) ([]games.Fork, error) {
		own := own
		own.Title = m.titles
		own.OrganisationVersion = m.version
		forks := []games.Fork{own}
		if m.foreign {
			forks = append(forks,
				games.Fork{ID: foreignFork, OrganisationID: globex, Title: marker})
		}
		return give(m, "Forks.Forks", forks, nil)
	})
	f.On("Fork", anything, acme, anything).
		Return(func(_ context.Context, _, id string) (games.Fork, error) {
			switch {
			case id == ownFork:
				return give(m, "Forks.Fork", own, nil)
			case m.foreign && id == foreignFork:
				return give(m, "Forks.Fork",
					games.Fork{ID: id, OrganisationID: globex, Title: marker},
					nil)
			}
			return give(m, "Forks.Fork", games.Fork{},
				error(apperr.New(apperr.NotFound, "No such fork.")))
		})
	f.On("ForkOwner", anything, anything).
		Return(func(_ context.Context, id string) (string, error) {
			return m.owner("Forks.ForkOwner", id,
				map[string]string{ownFork: acme, foreignFork: globex})
		})
	return f
}

// owner records a call and returns the owner of the id.
func (m *mocked) owner(name, id string, owners map[string]string) (string, error) {
	if owner, ok := owners[id]; ok {
		return give(m, name, owner, nil)
	}
	return give(m, name, "", error(apperr.New(apperr.NotFound, "No such thing.")))
}

func (m *mocked) groups() Groups {
	g := &mockGroups{}
	g.On("GroupOwner", anything, anything).
		Return(func(_ context.Context, id string) (string, error) {
			return m.owner("Groups.GroupOwner", id,
				map[string]string{ownGroup: acme, foreignGroup: globex})
		})
	return g
}

func (m *mocked) authorizer() Policy {
	p := &mockPolicy{}
	p.On("Authorize", anything, anything, anything).Return(
		func(s authz.Subject, want authz.Permission, organisationID string) error {
			if err := m.called("Policy.Authorize"); err != nil {
				return err
			}
			return m.policy.Authorize(s, want, organisationID)
		})
	return p
}

// ofGroup decides about the query's group as package reports does: it is found within Acme, or
// without the organisation in the SQL everywhere, and the caller is asked about its owner.
func (m *mocked) ofGroup(q reports.Query) error {
	owner := map[string]string{ownGroup: acme, foreignGroup: globex}[q.GroupID]
	switch {
	case q.GroupID == "":
		return nil
	case owner == "", owner != acme && !m.foreign:
		return reports.ErrGroupNotFound
	}
	return q.MayReadGroup(owner)
}

func (m *mocked) lease(ctx context.Context) *limiter.Lease {
	lease, err := m.places.Acquire(ctx, limiter.Request{OrganisationID: acme})
	if err != nil {
		m.t.Errorf("the request before holds a lease: %v", err)
	}
	return lease
}

func (m *mocked) reports() Reports {
	r := &mockReports{}
	r.On("AdmitForks", anything, acme).
		Return(func(ctx context.Context, _ string) (*limiter.Lease, error) {
			if err := m.called("Reports.AdmitForks"); err != nil {
				return nil, err
			}
			return m.lease(ctx), nil
		})
	r.On("KeepAnswer", anything, acme, anything, anything).Return(
		func(_ context.Context, _ string, lease *limiter.Lease, _ int) (*limiter.Lease, error) {
			return give(m, "Reports.KeepAnswer", lease, nil)
		})
	r.On("Statistics", anything, anything, anything).Return(
		func(ctx context.Context, q reports.Query, hold func(*limiter.Lease)) (reports.Statistics,
			error) {
			hold(m.lease(ctx))
			player := func(int) reports.PlayerStat { return reports.PlayerStat{Label: marker} }
			stats, err := give(m, "Reports.Statistics",
				reports.Statistics{UniquePlayers: 1, Player: player}, nil)
			if err == nil {
				err = m.ofGroup(q)
			}
			return stats, err
		})
	r.On("Suppressed", anything, anything).
		Return(func(_ context.Context, q reports.Query) (bool, error) {
			suppressed, err := give(m, "Reports.Suppressed", false, nil)
			if err == nil {
				err = m.ofGroup(q)
			}
			return suppressed, err
		})
	return r
}

// exports answers with the result of the re-check of the key, which a real export repeats while it
// runs.
func (m *mocked) exports() Exports {
	e := &mockExports{}
	e.On("Send", anything, anything, anything).
		Return(func(ctx context.Context, c *fiber.Ctx, r exports.Request) error {
			if _, err := give(m, "Exports.Send", 0, nil); err != nil {
				return err
			}
			if err := m.ofGroup(r.Query); err != nil {
				return err
			}
			if err := r.Recheck(ctx); err != nil {
				return err
			}
			return c.SendString(marker)
		})
	return e
}
