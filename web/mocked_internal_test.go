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

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// mocked is the screens over mocks of the modules, without a database. An owner of Acme is signed in, and every call succeeds
// but the one that a test lets fail.
type mocked struct {
	t   *testing.T
	url string

	mu      sync.Mutex
	calls   []string // of the request, in their order
	failing int      // which of the calls fails, from 1; 0: none
	failure error
}

// marker is in whatever the modules return and only a screen that succeeds shows.
const marker = "MARK"

// mockedNow is the clock of the screens.
var mockedNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newMocked starts the screens with the policy. Each mocked method has to be called before the test ends.
func newMocked(t *testing.T, policy Policy) (*mocked, *fiber.App) {
	t.Helper()
	s := &mocked{t: t}
	h, err := New(s.modules(policy), "http://127.0.0.1", func() time.Time { return mockedNow })
	require.NoError(t, err)
	server := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler), Grace: time.Second, ErrorPage: h.ErrorPage})
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

// send sends a request of a page of the site in which that call of a module fails, and returns the answer and all calls.
func (s *mocked) send(method, path, form string, failing int, failure error) (*http.Response, string, []string) {
	s.t.Helper()
	s.mu.Lock()
	s.calls, s.failing, s.failure = nil, failing, failure
	s.mu.Unlock()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(form))
	require.NoError(s.t, err)
	request.Header = http.Header{"Accept": {"text/html"}, "Sec-Fetch-Site": {"same-origin"}, "Cookie": {sessionCookie + "=token"}}
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

func (s *mocked) modules(policy Policy) Modules {
	return Modules{
		Identity: s.identity(), Orgs: s.organisations(), Keys: s.keys(), Games: s.forks(), Reports: s.reports(), Exports: s.exports(), Log: s.log(),
		Policy: policy,
	}
}

const anything = mock.Anything

// What the modules know.
var (
	acme   = org.Organisation{ID: "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40", Slug: "acme", Name: "Acme", Plan: org.PlanPro, ReportingMode: org.Pseudonymous}
	ann    = identity.Person{ID: "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e41", Name: "Ann", Email: "ann@acme.example"}
	signed = identity.Session{Person: ann, Token: "token", StartedAt: mockedNow}
	fork   = games.Fork{ID: "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e42", OrganisationID: acme.ID, Slug: "fork", Title: marker, Status: "active", Visibility: "public"}
	soon   = mockedNow.Add(time.Hour)
	aKey   = apikeys.Key{
		ID: "AAAAAAAAAAAAAAAAAAAAAA", OrganisationID: acme.ID, Name: marker, Scopes: []apikeys.Scope{apikeys.ReportsRead}, CreatedAt: mockedNow, ExpiresAt: &soon,
	}
	anEntry = audit.Entry{
		ID: 1, OrganisationID: acme.ID, At: mockedNow, Actor: audit.Actor{Kind: audit.Person, ID: ann.ID, Name: marker}, Action: audit.ExportStarted,
		Target: audit.Target{Kind: "fork", ID: fork.ID},
	}
)

func (s *mocked) identity() Identity {
	m := newMockIdentity(s.t)
	on := m.EXPECT()
	session := func(call string) (identity.Session, error) { return give(s, "Identity."+call, signed) }
	on.Session(anything, anything).RunAndReturn(func(context.Context, string) (identity.Session, error) { return session("Session") })
	on.SignIn(anything, anything, anything, anything).RunAndReturn(
		func(context.Context, string, string, identity.Client) (identity.Session, error) {
			return session("SignIn")
		})
	on.VerifySecondStep(anything, anything, anything).RunAndReturn(
		func(context.Context, string, string) (identity.Session, error) { return session("VerifySecondStep") })
	on.RememberBrowser(anything, anything, anything).RunAndReturn(
		func(context.Context, identity.Session, string) (string, error) {
			return give(s, "Identity.RememberBrowser", "browser")
		})
	on.SignOut(anything, anything).RunAndReturn(func(context.Context, string) error { return s.called("Identity.SignOut") })
	on.ResetPerson(anything, anything).RunAndReturn(func(context.Context, string) (identity.Person, error) {
		return give(s, "Identity.ResetPerson", identity.Person{Name: marker, Email: marker})
	})
	on.UseReset(anything, anything, anything).RunAndReturn(func(context.Context, string, string) error { return s.called("Identity.UseReset") })
	on.People(anything, anything).RunAndReturn(func(context.Context, []string) ([]identity.Person, error) {
		return give(s, "Identity.People", []identity.Person{{ID: ann.ID, Name: marker}})
	})
	s.account(on)
	return m
}

func (s *mocked) account(on *mockIdentity_Expecter) {
	type proof = identity.Proof
	session := func(call string) (identity.Session, error) { return give(s, "Identity."+call, signed) }
	codes := func(call string) ([]string, identity.Session, error) {
		codes, err := give(s, "Identity."+call, []string{marker})
		return codes, signed, err
	}
	on.Sessions(anything, anything).RunAndReturn(func(context.Context, string) ([]identity.ActiveSession, error) {
		return give(s, "Identity.Sessions", []identity.ActiveSession{{Address: marker}})
	})
	on.EndSession(anything, anything, anything).RunAndReturn(func(context.Context, string, string) error { return s.called("Identity.EndSession") })
	on.TakeNotice(anything, anything).RunAndReturn(func(context.Context, string) (identity.Notice, error) {
		return give(s, "Identity.TakeNotice", audit.PasswordChanged)
	})
	on.ChangePassword(anything, anything, anything, anything).RunAndReturn(
		func(context.Context, string, proof, string) (identity.Session, error) {
			return session("ChangePassword")
		})
	on.BeginTwoStep(anything, anything).RunAndReturn(func(context.Context, string) (identity.Enrolment, error) {
		return give(s, "Identity.BeginTwoStep", identity.Enrolment{Secret: marker})
	})
	on.ConfirmTwoStep(anything, anything, anything).RunAndReturn(
		func(context.Context, string, proof) ([]string, identity.Session, error) {
			return codes("ConfirmTwoStep")
		})
	on.TurnOffTwoStep(anything, anything, anything).RunAndReturn(
		func(context.Context, string, proof) (identity.Session, error) { return session("TurnOffTwoStep") })
	on.RecoveryCodesLeft(anything, anything).RunAndReturn(func(context.Context, string) (int, error) { return give(s, "Identity.RecoveryCodesLeft", 3) })
	on.ReplaceRecoveryCodes(anything, anything, anything).RunAndReturn(
		func(context.Context, string, proof) ([]string, identity.Session, error) {
			return codes("ReplaceRecoveryCodes")
		})
}

func (s *mocked) organisations() Organisations {
	m := newMockOrganisations(s.t)
	on := m.EXPECT()
	owner := org.Membership{Organisation: acme, Role: org.RoleOwner}
	on.Membership(anything, anything, anything).RunAndReturn(
		func(context.Context, string, string) (org.Membership, error) {
			return give(s, "Orgs.Membership", owner)
		})
	on.MembershipsOf(anything, anything).RunAndReturn(
		func(context.Context, string) ([]org.Membership, error) {
			return give(s, "Orgs.MembershipsOf", []org.Membership{owner})
		})
	on.Members(anything, anything).RunAndReturn(func(context.Context, string) ([]org.Member, int, error) {
		members, err := give(s, "Orgs.Members", []org.Member{{PersonID: ann.ID, Role: org.RoleOwner}})
		return members, len(members), err
	})
	on.Groups(anything, anything, anything).RunAndReturn(
		func(context.Context, string, string) ([]org.Group, error) {
			return give(s, "Orgs.Groups", []org.Group{{ID: fork.ID, Name: marker}})
		})
	on.SetReportingMode(anything, anything, anything, anything).RunAndReturn(
		func(context.Context, org.Actor, org.ReportingMode, audit.Request) error {
			return s.called("Orgs.SetReportingMode")
		})
	return m
}

func (s *mocked) keys() Keys {
	m := newMockKeys(s.t)
	on := m.EXPECT()
	type actor = apikeys.Actor
	on.List(anything, anything).RunAndReturn(func(context.Context, actor) ([]apikeys.Key, error) { return give(s, "Keys.List", []apikeys.Key{aKey}) })
	on.Expiring(anything, anything).RunAndReturn(func(context.Context, actor) ([]apikeys.Key, error) {
		return give(s, "Keys.Expiring", []apikeys.Key{aKey})
	})
	on.Key(anything, anything, anything).RunAndReturn(func(context.Context, actor, string) (apikeys.Key, error) { return give(s, "Keys.Key", aKey) })
	on.Create(anything, anything, anything, anything).RunAndReturn(
		func(context.Context, actor, apikeys.NewKey, audit.Request) (apikeys.Key, apikeys.Token, error) {
			token, err := give(s, "Keys.Create", apikeys.Token{ID: aKey.ID, Secret: marker})
			return aKey, token, err
		})
	on.Revoke(anything, anything, anything, anything).RunAndReturn(
		func(context.Context, actor, string, audit.Request) error { return s.called("Keys.Revoke") })
	return m
}

func (s *mocked) forks() Forks {
	m := newMockForks(s.t)
	m.EXPECT().Forks(anything, anything).RunAndReturn(func(context.Context, string) ([]games.Fork, error) { return give(s, "Games.Forks", []games.Fork{fork}) })
	m.EXPECT().Fork(anything, anything, anything).RunAndReturn(func(context.Context, string, string) (games.Fork, error) { return give(s, "Games.Fork", fork) })
	return m
}

func (s *mocked) reports() Reports {
	m := newMockReports(s.t)
	m.EXPECT().Statistics(anything, anything, anything).RunAndReturn(
		func(context.Context, reports.Query, func(*limiter.Lease)) (reports.Statistics, error) {
			return give(s, "Reports.Statistics", reports.Statistics{ReportingMode: org.Pseudonymous})
		})
	m.EXPECT().PlaysOfForks(anything, anything, anything).RunAndReturn(
		func(context.Context, string, reports.Period) (map[string]int64, error) {
			return give(s, "Reports.PlaysOfForks", map[string]int64{fork.ID: 7})
		})
	return m
}

func (s *mocked) exports() Exports {
	m := newMockExports(s.t)
	m.EXPECT().Send(anything, anything, anything).RunAndReturn(func(_ context.Context, c *fiber.Ctx, _ exports.Request) error {
		if err := s.called("Exports.Send"); err != nil {
			return err
		}
		return c.SendString(marker)
	})
	return m
}

func (s *mocked) log() AuditLog {
	m := newMockAuditLog(s.t)
	m.EXPECT().List(anything, anything, anything).RunAndReturn(
		func(context.Context, string, audit.Page) ([]audit.Entry, error) {
			return give(s, "Log.List", []audit.Entry{anEntry})
		})
	m.EXPECT().People(anything, anything).RunAndReturn(
		func(context.Context, string) ([]audit.Actor, error) {
			return give(s, "Log.People", []audit.Actor{anEntry.Actor})
		})
	m.EXPECT().Append(anything, anything).RunAndReturn(func(context.Context, audit.Entry) error { return s.called("Log.Append") })
	return m
}

// newPolicy is the policy of the program.
func newPolicy(t *testing.T) Policy {
	t.Helper()
	policy, err := authz.New()
	require.NoError(t, err)
	return policy
}
