package otherprogram

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/migrations"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

var day = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// program is a running instance of the other program.
type program struct {
	t   *testing.T
	db  *testkit.World
	url string
}

// start serves the program. It migrates at each start, and this is not the first.
func start(t *testing.T) *program {
	t.Helper()
	db := testkit.On(t, pgtest.From(t, migrations.API))
	db.Exec(schema)
	require.NoError(t, postgres.Migrate(t.Context(), db.OwnerURL, migrations.API, "dg_app", nil))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &program{t: t, db: db, url: "http://" + ln.Addr().String()}
	policy, err := authz.New()
	require.NoError(t, err)
	log := audit.New(db.DB)
	m, err := newParts(db.DB, policy, log, p.url)
	require.NoError(t, err)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	m.api.Mount(app) // first: it refuses keys on every other path
	m.mountScreens(app, db.DB, policy, log, p.url)
	app.Get("/lessons/:id", func(c *fiber.Ctx) error { return c.SendString(c.Params("id")) })
	app.Get("/crash", func(*fiber.Ctx) error { return fiber.NewError(418, "the host's own") })
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	t.Cleanup(func() {
		_ = app.ShutdownWithTimeout(time.Second)
		<-served
	})
	return p
}

// send returns the status and body of an answer; headers are pairs.
func (p *program) send(method, path string, form url.Values, headers ...string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path,
		strings.NewReader(form.Encode()))
	require.NoError(p.t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.url)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	response, err := client.Do(r)
	require.NoError(p.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return response.StatusCode, string(body)
}

// call sends a request of the API.
func (p *program) call(token, path string) (int, string) {
	p.t.Helper()
	return p.send(http.MethodGet, "/api/v1/"+path, nil, "Authorization", "Bearer "+token)
}

// create creates a key by the form of the screens.
func (p *program) create(s school) (status int, token string) {
	p.t.Helper()
	form := url.Values{
		"name":   {"Warehouse"},
		"scopes": {"forks:read", "reports:read"},
		"expiry": {"90"},
	}
	status, page := p.send(http.MethodPost, "/o/"+s.handle+"/settings/api-keys/new", form, login,
		s.handle)
	return status, regexp.MustCompile(`dg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}`).FindString(page)
}

// school is a tenant with a fork, six learners in a cohort and a play of each.
type school struct{ id, handle, fork, cohort string }

// newSchool stores a school. Its head signs in with its handle.
func newSchool(db *testkit.World, handle, tier string) school {
	s := school{
		id: testkit.One[string](db,
			`insert into tenants values (gen_random_uuid(), $1, $2, false) returning id`, handle,
			tier),
		handle: handle,
	}
	db.Exec(
		`insert into staff values (gen_random_uuid(), $1, $2, 'head'), (gen_random_uuid(), $1,
			$2 || '-teacher', 'teacher')`,
		s.id, handle,
	)
	db.Exec(
		`insert into learners select $1, n, 'P-' || n, 'Learner ' || n from generate_series(1, 6) n`,
		s.id,
	)
	s.cohort = testkit.One[string](db,
		`insert into cohorts values (gen_random_uuid(), $1) returning id`, s.id)
	db.Exec(`insert into cohort_learners select $1, $2, n from generate_series(1, 6) n`, s.id, s.cohort)
	fork := db.Fork(testkit.Fork{OrganisationID: s.id})
	for n := range 6 {
		db.Play(testkit.Play{Fork: fork, Player: testkit.Player{Ordinal: n + 1}, StartedAt: day})
	}
	s.fork = fork.ID
	return s
}
