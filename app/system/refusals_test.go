package system

import (
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// rules.md, Audit log: every refused use is in the log, also under a flood on two instances: up to
// 120 in a minute one by one, the others as a number, each once. A crash of PostgreSQL loses the
// number, and an entry says so. An instance writes the numbers when it starts, then every 20
// seconds.
func TestFloodOfRefusedUsesOnTwoInstances(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	first := x.Serve("--demo")
	second := x.Serve()
	token := demoToken(t, first)
	wrong := token[:len(token)-1] + map[bool]string{
		true:  "A",
		false: "B",
	}[token[len(token)-1] != 'A']
	all := apptest.Sized(600, 4000)
	answers := flood(t, all, wrong, first.URL, second.URL)
	third := x.Serve()
	var single, counted, lost int
	apptest.Until(t, time.Minute, "the refusals beyond 120 are not in the log", func() bool {
		single, counted, lost = refusals(x)
		return single+counted >= all
	})
	t.Logf("answers %v; entries of one %d, counted %d", answers, single, counted)
	require.Equal(t, all, single+counted)
	require.Equal(t, answers[401]+answers[403], single)
	require.Equal(t, answers[429], counted)
	require.Zero(t, lost)

	flood(t, all/4, wrong, first.URL, second.URL)
	x.Die()
	x.Start()
	fourth := x.Serve()
	apptest.Until(t, time.Minute, "no entry says that a count was lost", func() bool {
		_, _, lost = refusals(x)
		return lost > 0
	})
	single, counted, _ = refusals(x)
	t.Logf("after a crash of PostgreSQL: entries of one %d, counted %d, said to be lost %d", single,
		counted, lost)
	require.Equal(t, 2, lost, "one for each reason")
	for _, c := range []*apptest.Child{first, second, third, fourth} {
		c.Stop()
	}
}

// flood sends n requests with a token, half of them to the API, to the instances in turn, and
// counts the answers by status.
func flood(t *testing.T, n int, token string, instances ...string) map[int]int {
	t.Helper()
	statuses := make(chan int, n)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			c := &http.Client{Transport: &http.Transport{}}
			defer c.CloseIdleConnections()
			for range n / 20 {
				path := []string{"/api/v1/forks", "/docs"}[i/2%2]
				response := apptest.Ask(t, c, instances[i%len(instances)]+path, token)
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				statuses <- response.StatusCode
			}
		})
	}
	all.Wait()
	close(statuses)
	answers := map[int]int{}
	for status := range statuses {
		answers[status]++
	}
	return answers
}

// refusals reads how many refused uses the audit log has one by one, how many as numbers, and how
// often a number was lost.
func refusals(x *apptest.External) (single, counted, lost int) {
	x.T.Helper()
	conn, err := pgx.Connect(x.T.Context(), x.URL(url.User("dg_app")))
	require.NoError(x.T, err)
	defer conn.Close(x.T.Context())
	require.NoError(x.T,
		conn.QueryRow(x.T.Context(), `select count(*) filter (where details = '{}'),
		coalesce(sum((details->>'notRecorded')::int), 0), count(*) filter (where details ? 'countLost')
		from audit_entries where action = 'api_key.refused'`).Scan(&single, &counted, &lost))
	return single, counted, lost
}
