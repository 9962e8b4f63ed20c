package apikeys_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

var errOutsideAPI = apperr.New(apperr.AccessDenied, "outside")

const (
	ourOrganisation   = "00000000-0000-4000-8000-00000000000a"
	theirOrganisation = "00000000-0000-4000-8000-00000000000b"
)

var request = audit.Request{Method: "GET", Path: "/api/v1/forks", ID: "request-0001"}

func requestFunc() audit.Request { return request }

// fixture is a database with two organisations on the Pro plan, and two instances of the module with their own pools.
type fixture struct {
	*testkit.World
	t                      *testing.T
	service, otherInstance *apikeys.Service
	owner                  apikeys.Actor
}

func setup(t *testing.T) *fixture {
	t.Parallel()
	b := &fixture{World: testkit.New(t), t: t}
	for i, id := range []string{ourOrganisation, theirOrganisation} {
		b.AddOrganisation(testkit.Organisation{ID: id, Slug: fmt.Sprintf("org-%d", i)})
		for _, role := range []string{"owner", "admin", "member"} {
			for twoStep, secret := range map[bool]string{false: "", true: testkit.TOTPSecret} {
				person := member(id, role, twoStep)
				b.AddPerson(testkit.Person{ID: person.ID, Name: person.Name, TOTPSecret: secret})
				b.Join(id, person.ID, role)
			}
		}
	}
	otherDB := pgtest.Open(t, b.URL, postgres.Options{MaxConns: 8})
	b.service = b.newInstance(b.DB, time.Now)
	b.otherInstance = b.newInstance(otherDB, time.Now)
	b.owner = member(ourOrganisation, "owner", false)
	return b
}

func setupKey(t *testing.T) (*fixture, apikeys.Key, apikeys.Token) {
	b := setup(t)
	key, token := b.newKey()
	return b, key, token
}

func (b *fixture) newInstance(db *postgres.DB, now func() time.Time) *apikeys.Service {
	policy := tb.Must(authz.New())(b.t)
	log := audit.New(db)
	return apikeys.New(db, org.New(db, log, policy), log, policy, now)
}

func member(organisation, role string, twoStep bool) apikeys.Actor {
	id := uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "%s %s %v", organisation, role, twoStep))
	return apikeys.Actor{
		Person: apikeys.Person{ID: id.String(), Name: "Ada " + role},
		Subject: authz.Subject{
			Kind: authz.Member, OrganisationID: organisation, Grants: authz.MemberGrants(role, twoStep),
		},
	}
}

func (b *fixture) setPlan(plan org.Plan) {
	b.Exec(`update organisations set plan = $2 where id = $1`, ourOrganisation, plan)
}

var bothScopes = []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}

func (b *fixture) newKey() (apikeys.Key, apikeys.Token) {
	return tb.Must2(b.create(b.owner))(b.t)
}

func (b *fixture) create(actor apikeys.Actor) (apikeys.Key, apikeys.Token, error) {
	return b.service.Create(b.t.Context(), actor, apikeys.NewKey{Name: "n", Scopes: bothScopes}, request)
}

func (b *fixture) use(token apikeys.Token) error { return b.useFunc(token)(0, b.service) }

func (b *fixture) useOutside(id string) error {
	return b.otherInstance.RefuseOutsideAPI(b.t.Context(), id, request, errOutsideAPI)
}

func (b *fixture) accept(token apikeys.Token) apikeys.Caller {
	return tb.Must(b.service.Authenticate(b.t.Context(), token, requestFunc))(b.t)
}

func (b *fixture) checkUsable(organisation, id string) error {
	return apikeys.CheckUsable(b.t.Context(), b.DB, organisation, id)
}

// concurrently runs n calls of f at once, alternately on the two instances.
func (b *fixture) concurrently(n int, f func(i int, instance *apikeys.Service) error) []error {
	errs := make([]error, n)
	testkit.Concurrently(n, func(i int) { errs[i] = f(i, []*apikeys.Service{b.service, b.otherInstance}[i%2]) })
	return errs
}

func (b *fixture) useFunc(token apikeys.Token) func(int, *apikeys.Service) error {
	return func(_ int, instance *apikeys.Service) error {
		return tb.ErrorOf(instance.Authenticate(b.t.Context(), token, requestFunc))
	}
}

func countAccepted(errs []error) (n int) {
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

func (b *fixture) readInstant(column string, key apikeys.Key) *time.Time {
	return testkit.Query[*time.Time](b.World, `select `+column+` from api_keys where id = $1`, key.ID)
}

func (b *fixture) insertKeys(n int, prefix string, expires, revoked *time.Time) {
	b.Exec(`insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by,
		creator_name, expires_at, revoked_at)
		select $3 || lpad(i::text, 22 - length($3), '0'), $1, $3 || i, array['forks:read'],
		  decode(repeat('00', 32), 'hex'), timestamptz '2026-01-01' + make_interval(mins => i), 'p', 'P',
		  $4, $5 from generate_series(1, $2) i`, ourOrganisation, n, prefix, expires, revoked)
}

func withWrongSecret(token apikeys.Token) apikeys.Token {
	return apikeys.Token{ID: token.ID, Secret: strings.ToLower(token.Secret)}
}

func (b *fixture) entries(action audit.Action) []audit.Entry {
	entries := tb.Must(audit.New(b.DB).List(b.t.Context(), ourOrganisation, audit.Page{Limit: 1000}))(b.t)
	return slices.DeleteFunc(entries, func(e audit.Entry) bool { return e.Action != action })
}

func (b *fixture) ageRequestsInWindows(keyID string, seconds float64) {
	b.Exec(`update api_key_windows set instants =
		(select array_agg(i - make_interval(secs => $2) order by nth) from unnest(instants) with ordinality u (i, nth))
		where key_id = $1`, keyID, seconds)
}

// requestsInWindow counts the accepted and the refused requests of a key in the last 60 seconds.
func (b *fixture) requestsInWindow(key apikeys.Key) (n [2]int) {
	for i, refused := range []bool{false, true} {
		n[i] = b.CountRows(`api_key_windows, unnest(instants) i
			where key_id = $1 and refused = $2 and i > clock_timestamp() - interval '60 s'`,
			key.ID, refused)
	}
	return n
}

func requireCode(t *testing.T, code apperr.Code, err error) *apperr.Error {
	require.True(t, apperr.Is(err, code), "want %s, got %v", code, err)
	e := apperr.From(err)
	require.NotEmpty(t, e.Message)
	return e
}
