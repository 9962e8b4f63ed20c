package apikeys_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
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
	"dg/platform/testkit/fixtures"
)

// errOutside is the answer that the surface gives to RefuseOutside.
var errOutside = apperr.New(apperr.AccessDenied, "outside")

// Two organisations: the one under test and another.
const (
	ourOrganisation   = "00000000-0000-4000-8000-00000000000a"
	theirOrganisation = "00000000-0000-4000-8000-00000000000b"
)

// request is what the audit log has to show for each request.
var request = audit.Request{
	Method:    "GET",
	Path:      "/api/v1/forks",
	Address:   "192.0.2.7",
	UserAgent: "bi-tool/1.0",
	ID:        "request-0001",
}

// bundle is a database with two organisations on the Pro plan, and two instances of the service,
// each with a pool of its own, as two processes have.
type bundle struct {
	*fixtures.Database
	t       *testing.T
	keys    *instance
	other   *instance // the second instance
	log     *audit.Log
	unknown *atomic.Int64 // uses of keys that nobody owns
	owner   apikeys.Actor
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{Database: fixtures.New(t), t: t, unknown: new(atomic.Int64)}
	for i, id := range []string{ourOrganisation, theirOrganisation} {
		b.Organisation(fixtures.Organisation{ID: id, Slug: fmt.Sprintf("org-%d", i)})
		for _, role := range []string{"owner", "admin", "member"} {
			for twoStep, secret := range map[bool]string{false: "", true: fixtures.TOTPSecret} {
				who := member(id, role, twoStep)
				b.Person(fixtures.Person{ID: who.ID, Name: who.Name, TOTPSecret: secret})
				b.Join(id, who.ID, role)
			}
		}
	}
	second, err := postgres.Open(t.Context(), b.URL,
		postgres.Options{Name: "second instance", MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(second.Close)
	b.log = audit.New(b.DB)
	b.keys = b.instance(b.DB, time.Now)
	b.other = b.instance(second, time.Now)
	b.owner = member(ourOrganisation, "owner", false)
	return b
}

// instance is the module as one process has it.
type instance struct {
	*apikeys.Authenticator
	*apikeys.Reader
	*apikeys.Manager
	*apikeys.Counter
}

func (b *bundle) instance(db *postgres.DB, now func() time.Time) *instance {
	policy, err := authz.New()
	require.NoError(b.t, err)
	log := audit.New(db)
	m := apikeys.New(db, org.New(db, log, policy), log, policy, now, func() { b.unknown.Add(1) })
	return &instance{m.Authenticator, m.Reader, m.Manager, m.Counter}
}

// member is a person with the role in the organisation: another one for each.
func member(organisation, role string, twoStep bool) apikeys.Actor {
	id := uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "%s %s %v", organisation, role, twoStep))
	return apikeys.Actor{
		Person: apikeys.Person{ID: id.String(), Name: "Ada " + role},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: organisation,
			Grants:         authz.MemberGrants(role, twoStep),
		},
	}
}

// ctx ends with the test.
func (b *bundle) ctx() context.Context { return b.t.Context() }

func (b *bundle) setPlan(plan org.Plan) {
	b.t.Helper()
	b.Exec(`update organisations set plan = $2 where id = $1`, ourOrganisation, plan)
}

// newKey makes a usable key.
func (b *bundle) newKey() (apikeys.Key, apikeys.Token) {
	b.t.Helper()
	key, token, err := b.keys.Create(b.ctx(), b.owner, apikeys.NewKey{
		Name:   "Warehouse",
		Scopes: []apikeys.Scope{apikeys.ForksRead},
	}, request)
	require.NoError(b.t, err)
	return key, token
}

// guessed returns a token with the key's id and another secret.
func guessed(token apikeys.Token) apikeys.Token {
	first := "A"
	if token.Secret[0] == 'A' {
		first = "B"
	}
	return apikeys.Token{ID: token.ID, Secret: first + token.Secret[1:]}
}

// entries returns the entries of an action in our organisation's log, newest first.
func (b *bundle) entries(action audit.Action) []audit.Entry {
	b.t.Helper()
	all, err := b.log.List(b.ctx(), ourOrganisation, audit.Page{Limit: 1000})
	require.NoError(b.t, err)
	var of []audit.Entry
	for _, e := range all {
		if e.Action == action {
			of = append(of, e)
		}
	}
	return of
}

// logged counts all entries of all organisations.
func (b *bundle) logged() int {
	return fixtures.One[int](b.Database, `select count(*) from audit_entries`)
}

// pass moves a key's windows into the past, as if so many seconds had passed.
func (b *bundle) pass(key string, seconds float64) {
	b.t.Helper()
	b.Exec(`update api_key_windows set instants =
		(select array_agg(i - make_interval(secs => $2) order by nth) from unnest(instants) with ordinality u (i, nth))
		where key_id = $1`, key, seconds)
}

// passInstead lets so many seconds pass instead of the time since began, however long the machine
// took: what was asked since then was asked at once.
func (b *bundle) passInstead(key string, began time.Time, seconds float64) {
	b.t.Helper()
	b.Exec(`update api_key_windows set instants =
		(select array_agg(least(clock_timestamp(),
		  i + make_interval(secs => $3)) - make_interval(secs => $2) order by nth)
		   from unnest(instants) with ordinality u (i, nth))
		where key_id = $1`, key, seconds, time.Since(began).Seconds())
}

// setWindow sets how many seconds ago the last requests were, oldest first; the other slots are
// unused. head is where the ring starts.
func (b *bundle) setWindow(key string, refused bool, head int, ages []float64) {
	b.t.Helper()
	ring := make([]float64, apikeys.MaxRequests)
	for i := range ring {
		place := i - (apikeys.MaxRequests - len(ages))
		age := math.Inf(1)
		if place >= 0 {
			age = ages[place]
		}
		ring[(head-1+i)%apikeys.MaxRequests] = age
	}
	b.Exec(`update api_key_windows set head = $3, instants =
		(select array_agg(case when a = 'infinity' then '-infinity'
		  else now() - make_interval(secs => a) end order by nth)
		   from unnest($4::float8[]) with ordinality u (a, nth))
		where key_id = $1 and refused = $2`, key, refused, head, ring)
}

// taken counts the requests in a window.
func (b *bundle) taken(key string, refused bool) int {
	b.t.Helper()
	return fixtures.One[int](b.Database, `select count(*) from api_key_windows, unnest(instants) i
		where key_id = $1 and refused = $2 and i > clock_timestamp() - interval '60 s'`, key,
		refused)
}

// requireCode requires an error of the code, with a message for the caller.
func requireCode(t *testing.T, code apperr.Code, err error) *apperr.Error {
	t.Helper()
	require.True(t, apperr.Is(err, code), "want %s, got %v", code, err)
	e := apperr.From(err)
	require.NotEmpty(t, e.Message)
	return e
}
