package publicapi_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/modules/apikeys"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// ofOne opens a pool of one connection as the serving role.
func ofOne(t *testing.T, db *pgtest.Database) *postgres.DB {
	t.Helper()
	one, err := postgres.Open(t.Context(), db.URL, postgres.Options{Name: "one", MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(one.Close)
	return one
}

// traces are the words that identify an organisation's data, beside the mark in its names and
// slugs: its ids and its players' pseudonyms.
func (w *world) traces(t *testing.T, h *history) map[string]bool {
	t.Helper()
	traces := map[string]bool{h.id: true, gameIDOf(h): true}
	for _, id := range h.forks {
		traces[id] = true
	}
	for _, p := range h.plays {
		traces[p.id] = true
	}
	for _, g := range h.groups {
		traces[g.id] = true
	}
	pseudonymous := *h
	pseudonymous.mode = "pseudonymous"
	for i, label := range w.labels(t, &pseudonymous) {
		traces[label] = true
		traces[h.players[i].id] = true
	}
	return traces
}

// found returns the traces and the mark that an answer holds, headers included.
func found(t *testing.T, got answer, mark string, traces map[string]bool) []string {
	t.Helper()
	text := got.body
	if got.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(strings.NewReader(text))
		require.NoError(t, err)
		plain, err := io.ReadAll(z)
		require.NoError(t, err)
		text = string(plain)
	}
	text += fmt.Sprint(got.Header)
	var all []string
	if strings.Contains(text, mark) {
		all = append(all, mark)
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		if traces[word] {
			all = append(all, word)
		}
	}
	return all
}

// request is one of the interleaved requests: its target, its status, and whether the answer holds
// data of the organisation.
type request struct {
	target string
	status int
	speaks bool
}

// requestsOf are the requests with an organisation's key. Some name a fork or group of the other
// one.
func requestsOf(own, foreign *history) []request {
	const period = "?from=2024-05-01&to=2024-05-31"
	mine := "/api/v1/forks/" + own.forks[0]
	theirs := "/api/v1/forks/" + foreign.forks[0]
	return []request{
		{"/api/v1/forks", 200, true},
		{mine, 200, true},
		{mine + "/stats" + period, 200, true},
		{mine + "/stats" + period + "&groupId=" + own.groups[0].id, 200, true},
		{mine + "/stats" + period + "&groupId=" + own.groups[1].id, 200, false}, // suppressed
		{mine + "/exports/csv" + period, 200, true},
		{mine + "/exports/csv" + period + "&groupId=" + own.groups[0].id, 200, true},
		{mine + "/stats?from=2024-05-01", 400, false},
		{mine + "/stats" + period + "&groupId=" + foreign.groups[0].id, 404, false},
		{mine + "/exports/csv" + period + "&groupId=" + foreign.groups[0].id, 404, false},
		{theirs, 403, false},
		{theirs + "/stats" + period, 403, false},
		{theirs + "/exports/csv" + period, 403, false},
		{theirs + "/nothing", 404, false},
	}
}

// A key sees only its own organisation. 16 clients send requests with keys of both organisations in
// turn on one connection each, over pools of one connection: what a request left in a buffer or a
// session would show in another organisation's answer.
func TestInterleavedRequestsDoNotMix(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := startOver(t, db, assembly.Pools{
		Auth:    ofOne(t, db),
		Reads:   ofOne(t, db),
		Exports: ofOne(t, db),
	})
	random := rand.New(rand.NewPCG(41, 41))
	organisations := []*history{newHistory(random, 2, 12, 8, 4), newHistory(random, 2, 12, 8, 4)}
	for i, h := range organisations {
		h.mark = []string{"Quagga", "Okapi"}[i]
		h.mode = []string{"pseudonymous", "nominative"}[i]
		h.playRandomly(random, 80, day("2024-05-01"), day("2024-05-31"))
	}
	w.load(t, organisations...)
	traces := []map[string]bool{w.traces(t, organisations[0]), w.traces(t, organisations[1])}
	const clients = 16
	answers := make(chan interleaved, clients)
	var running sync.WaitGroup
	for client := range clients {
		conn := w.wire(t)
		keys := [2]apikeys.Token{w.key(t, organisations[0].id), w.key(t, organisations[1].id)}
		traces[0][keys[0].ID] = true
		traces[1][keys[1].ID] = true
		random := rand.New(rand.NewPCG(41, uint64(client)))
		running.Go(func() {
			w.interleave(t.Context(), conn, keys, organisations, random,
				soak(100_000, 1_600)/clients, answers)
		})
	}
	go func() {
		running.Wait()
		close(answers)
	}()

	asked := 0
	foreign := 0
	busy := 0
	for a := range answers {
		require.NoError(t, a.err, a.request.target)
		asked++
		if leaked := found(t, a.answer, organisations[1-a.who].mark,
			traces[1-a.who]); len(leaked) > 0 {
			foreign++
			t.Errorf("%s of the other organisation in the answer to %s: %.500q", leaked,
				a.request.target, a.body)
		}
		if a.StatusCode == http.StatusServiceUnavailable {
			busy++ // over the limit of concurrent exports
			continue
		}
		require.Equal(t, a.request.status, a.StatusCode, "%s: %.500q", a.request.target, a.body)
		speaks := len(found(t, a.answer, organisations[a.who].mark, traces[a.who])) > 0
		require.Equal(t, a.request.speaks, speaks, "%s: %.500q", a.request.target, a.body)
	}
	t.Logf("%d requests, %d answers with something of the other organisation, %d refused", asked,
		foreign, busy)
	require.Less(t, busy, asked/5)
}

// interleaved is an answer to one of the interleaved requests.
type interleaved struct {
	who     int // whose key
	request request
	answer
	err error
}

// interleave sends n requests, of both organisations in turn.
func (w *world) interleave(
	ctx context.Context, conn *wire, keys [2]apikeys.Token, organisations []*history,
	random *rand.Rand, n int, answers chan<- interleaved,
) {
	for i := range n {
		who := i % 2
		all := requestsOf(organisations[who], organisations[1-who])
		a := interleaved{who: who, request: all[random.IntN(len(all))]}
		headers := []string{"Authorization: Bearer " + keys[who].String()}
		if random.IntN(3) == 0 {
			headers = append(headers, "Accept-Encoding: gzip")
		}
		a.answer, a.err = conn.try(ctx, http.MethodGet,
			line(http.MethodGet, a.request.target, headers...))
		if i%200 == 199 && a.err == nil { // 100 of each key
			_, a.err = w.db.Owner.Pool.Exec(ctx,
				`update api_key_windows set instants = array_fill('-infinity'::timestamptz, array[120])
				where key_id in ($1, $2)`, keys[0].ID, keys[1].ID)
		}
		select {
		case answers <- a:
		case <-ctx.Done(): // the test has failed
			return
		}
		if a.err != nil {
			return
		}
	}
}
