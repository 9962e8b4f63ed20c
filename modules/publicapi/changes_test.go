package publicapi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// change has to show in each request that starts after its commit, on every instance.
type change struct {
	name string
	// locks what a request needs that is in flight meanwhile: the key's window, or what a report
	// reads
	hold string
	make func(r *round)
	seen func(r *round, got answer) bool
}

// round is a change while requests are in flight.
type round struct {
	t     *testing.T
	w     *world
	h     *history
	n     int
	token apikeys.Token
}

const (
	holdWindow = `select from api_key_windows where key_id = $1 and not refused for update`
	holdPlays  = `lock table plays in access exclusive mode`
)

func refusedAsUnusable(_ *round, got answer) bool {
	return got.StatusCode == http.StatusUnauthorized &&
		strings.Contains(got.body, `"details":{"code":"ERR_AUTH_REQUIRED"}`)
}

func showsName(r *round, got answer) bool {
	return strings.Contains(got.body, `"playerLabel":"`+fmt.Sprint("Renamed ", r.n)+`"`)
}

var changes = []change{
	{"revocation", holdWindow, func(r *round) {
		require.NoError(r.t,
			r.w.keys.Revoke(r.t.Context(), owner(r.h.id), r.token.ID, audit.Request{}))
	}, refusedAsUnusable},
	{"expiry", holdWindow, func(r *round) {
		r.w.exec(r.t,
			`update api_keys set expires_at = date_trunc('milliseconds', clock_timestamp()) where id = $1`,
			r.token.ID)
	}, refusedAsUnusable},
	{"plan", holdWindow, func(r *round) {
		r.w.exec(r.t, `update organisations set plan = 'team' where id = $1`, r.h.id)
	}, refusedAsUnusable},
	{"reporting mode", holdPlays, func(r *round) {
		r.w.exec(r.t, `update organisations set reporting_mode = $2 where id = $1`, r.h.id,
			modeOf(r.n))
	}, func(r *round, got answer) bool {
		return strings.Contains(got.body, `"reportingMode":"`+modeOf(r.n)+`"`)
	}},
	{"name of a player", holdPlays, func(r *round) {
		r.w.exec(r.t, `update players set display_name = $2 where id = $1`, r.h.players[0].id,
			fmt.Sprint("Renamed ", r.n))
	}, showsName},
}

// modeOf is the reporting mode that a round changes to: the histories begin pseudonymous.
func modeOf(n int) string { return []string{"nominative", "pseudonymous"}[n%2] }

// rules.md, Keys: revocation, expiry, a change of plan or of reporting mode takes effect on every
// instance for each request that starts after it was committed; reports are of one snapshot, so a
// name does too. While a request is held in flight on each of two instances, with what it has read
// before the commit, the next one on each sees the change.
func TestChangesTakeEffectAtOnce(t *testing.T) {
	t.Parallel()
	first := start(t)
	instances := []*world{first, startOn(t, first.db)}
	rounds := 0
	missed := 0
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			h := newHistory(rand.New(rand.NewPCG(60, uint64(len(c.name)))), 1, 1)
			if c.name == "name of a player" {
				h.mode = "nominative"
			}
			h.plays = []play{
				{
					id:      newID(rand.New(rand.NewPCG(61, uint64(len(c.name))))),
					fork:    h.forks[0],
					started: day("2024-05-05"),
				},
			}
			first.load(t, h)
			for n := range soak(40, 8) {
				rounds++
				first.exec(t, `update organisations set plan = 'pro' where id = $1`, h.id)
				r := &round{t: t, w: first, h: h, n: n, token: first.key(t, h.id)}
				for i, got := range r.play(c, instances) {
					if !c.seen(r, got) {
						missed++
						t.Errorf("round %d: instance %d has not seen it: %d %s", n, i,
							got.StatusCode, got.body)
					}
				}
			}
		})
	}
	t.Logf("%d rounds on %d instances, %d missed", rounds, len(instances), missed)
	require.Equal(t, soak(200, 40), rounds)
}

// play holds a request in flight on each instance, makes the change, and returns the answers to a
// request on each that starts after it.
func (r *round) play(c change, instances []*world) []answer {
	r.t.Helper()
	ctx := r.t.Context()
	holding, err := r.w.db.Owner.Pool.Begin(ctx)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = holding.Rollback(context.Background()) }) // where the round fails
	var args []any
	if c.hold == holdWindow {
		args = append(args, r.token.ID)
	}
	_, err = holding.Exec(ctx, c.hold, args...)
	require.NoError(r.t, err)

	inFlight := r.ask(instances)
	r.untilHeld(len(instances))
	c.make(r)
	after := r.ask(instances)
	if c.hold == holdWindow { // refused while the requests before them are still held
		defer r.collect(inFlight)
		defer func() { require.NoError(r.t, holding.Rollback(ctx)) }()
		return r.collect(after)
	}
	r.untilHeld(2 * len(instances)) // these wait as well, now that they have begun
	require.NoError(r.t, holding.Rollback(ctx))
	r.collect(inFlight)
	return r.collect(after)
}

// ask begins a request of the statistics on each instance.
func (r *round) ask(instances []*world) []chan answer {
	path := line(http.MethodGet,
		"/api/v1/forks/"+r.h.forks[0]+"/stats?from=2024-05-01&to=2024-05-31",
		"Authorization: Bearer "+r.token.String())
	answers := make([]chan answer, len(instances))
	for i, w := range instances {
		conn := w.wire(r.t)
		answered := make(chan answer, 1)
		answers[i] = answered
		go func() {
			got, _ := conn.try(context.Background(), http.MethodGet, path)
			answered <- got
		}()
	}
	return answers
}

func (r *round) collect(answers []chan answer) []answer {
	r.t.Helper()
	all := make([]answer, len(answers))
	for i, answered := range answers {
		all[i] = <-answered
		require.NotNil(r.t, all[i].Response, "no answer")
	}
	return all
}

// untilHeld waits until so many sessions of the database wait for a lock. It looks from outside of
// the transaction that holds it, which would see the sessions of its first look only.
func (r *round) untilHeld(n int) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		var waiting int
		err := r.w.db.Owner.Pool.QueryRow(r.t.Context(),
			`select count(distinct l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
			where not l.granted and a.datname = current_database()`).Scan(&waiting)
		return err == nil && waiting >= n
	}, 10*time.Second, time.Millisecond)
}
