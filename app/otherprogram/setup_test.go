package otherprogram

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/requestid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"dg/migrations"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

type program struct {
	t    *testing.T
	db   *testkit.World
	host *publicapi.Host
	addr string
	logs tb.Buffer
}

// start migrates twice, because a program migrates at each start, and serves the program.
func start(t *testing.T) *program { return startWith(t, fiber.Config{}, reports.Options{}) }

func startWith(t *testing.T, config fiber.Config, options reports.Options) *program {
	t.Parallel()
	db := testkit.NewOn(t, pgtest.NewEmpty(t))
	migrate := func() { require.NoError(t, postgres.Migrate(t.Context(), db.OwnerURL, migrations.API, "dg_app", nil)) }
	migrate()
	db.Exec(schemaSQL)
	migrate()
	ln := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &program{t: t, db: db, addr: ln.Addr().String()}
	newHost := func(conns int32) (*publicapi.Host, error) {
		pool := pgtest.Open(t, db.URL, postgres.Options{MaxConns: conns})
		log := slog.New(slog.NewTextHandler(&p.logs, nil))
		return publicapi.NewHost(pool, tenants{}, "http://"+p.addr+"/", options, log)
	}
	require.ErrorContains(t, tb.ErrorOf(newHost(19)), "set pool_max_conns=20 or more") // exports would exhaust it
	host := tb.Must(newHost(20))(t)
	config.DisableStartupMessage, config.EnableTrustedProxyCheck, config.EnableIPValidation = true, true, true
	app := fiber.New(config)
	app.Use(requestid.New(requestid.Config{Generator: func() string { return "the-host-s-id" }}))
	host.Mount(app) // mounted before every route, because it refuses keys on all other paths
	app.Get("/lessons/:id", func(c *fiber.Ctx) error { return c.SendString(c.Params("id")) })
	app.Get("/mine", func(c *fiber.Ctx) error { return c.JSON(apikeys.AuditRequest(c, c.Path())) })
	app.Get("/crash", func(*fiber.Ctx) error { return fiber.NewError(418, "the host's own") })
	workCtx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 2)
	go func() { stopped <- app.Listener(ln) }()
	go func() { host.Run(workCtx); stopped <- nil }()
	t.Cleanup(func() {
		_ = app.ShutdownWithTimeout(time.Second)
		cancel()
		<-stopped
		<-stopped
		require.NoError(t, host.Close(context.Background()))
		tb.Must(prometheus.Gatherers{prometheus.DefaultGatherer, host.Metrics}.Gather())(t)
		tasks := tb.Must(testutil.GatherAndCount(host.Metrics, "dg_background_panics_total"))(t)
		require.Equal(t, 2, tasks, "the sealer and the usage of keys run")
		require.Zero(t, db.CountRows(`api_keys k where last_used_at is not null
			and not exists (select from api_key_usage where key_id = k.id)`), "the usage of each key is stored")
	})
	p.host = host
	return p
}

// send sends a request with a key ("": none) and an optional If-None-Match. It returns the response.
func (p *program) send(method, path, token string, tag ...string) testkit.Page {
	r := tb.Must(http.NewRequestWithContext(p.t.Context(), method, "http://"+p.addr+path, nil))(p.t)
	r.Header["If-None-Match"] = tag
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response := tb.Must(http.DefaultClient.Do(r))(p.t)
	defer response.Body.Close()
	body := tb.Must(io.ReadAll(response.Body))(p.t)
	return testkit.Page{Response: response, Body: string(body)}
}

// sendRaw sends a text on a new connection and returns everything until the connection closes, at most ten seconds.
func (p *program) sendRaw(text string) (answers string) {
	conn := tb.Must(net.Dial("tcp", p.addr))(p.t)
	defer conn.Close()
	require.NoError(p.t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	tb.Must(io.WriteString(conn, text))(p.t)
	received, _ := io.ReadAll(conn)
	return string(received)
}

func (p *program) call(token, path string) testkit.Page {
	return p.send(http.MethodGet, "/api/v1/"+path, token)
}

// school is a tenant with a fork and a cohort of six learners, each with one play, whom the cohort lists twice.
type school struct{ id, fork, cohort, head, teacher string }

func (p *program) newSchool(handle, tier string) (s school) {
	add := func(sql string, args ...any) string { return testkit.Query[string](p.db, sql, args...) }
	s.id = add(`insert into tenants values (gen_random_uuid(), $1, $2, false) returning id`, handle, tier)
	const person = `insert into staff values (gen_random_uuid(), $1, $2) returning id`
	s.head = add(person, s.id, "head")
	s.teacher = add(person, s.id, "teacher")
	s.cohort = add(`insert into cohorts values (gen_random_uuid(), $1) returning id`, s.id)
	p.db.Exec(`insert into learners select $1, n, 'P-' || n, 'Learner ' || n from generate_series(1, 99) n`, s.id)
	p.db.Exec(`insert into cohort_learners select $1, $2, 1 + i % 6 from generate_series(1, 12) i`, s.id, s.cohort)
	fork := p.db.AddFork(testkit.Fork{OrganisationID: s.id})
	for n := range 6 {
		p.db.AddPlay(testkit.Play{Fork: fork, Player: testkit.Player{Ordinal: n + 1},
			StartedAt: time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)})
	}
	s.fork = fork.ID
	return s
}

// actor returns a person of the school with an owner's grants. Changes of keys check the current role.
func (s school) actor(person string) apikeys.Actor {
	return apikeys.Actor{Person: apikeys.Person{ID: person, Name: "A person"}, Subject: authz.Subject{
		Kind: authz.Member, OrganisationID: strings.ToUpper(s.id), Grants: authz.MemberGrants("owner", false)}}
}

func (p *program) createKey(s school, person string) (apikeys.Key, string, error) {
	key, token, err := p.host.Keys.Create(p.t.Context(), s.actor(person), apikeys.NewKey{Name: "Warehouse",
		Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}}, audit.Request{})
	return key, token.String(), err
}

func (p *program) newKey(s school) string {
	_, token := tb.Must2(p.createKey(s, s.head))(p.t)
	return token
}
