package main

import (
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// rules.md, Audit log: every refused use is in the log, also under a flood on two instances: up to 120 in a minute one by one,
// the others as a number, each once. A crash of PostgreSQL loses the number, and an entry says so. An instance writes the
// numbers when it starts, then every 20 seconds.
func TestFloodOfRefusedUsesOnTwoInstances(t *testing.T) {
	t.Parallel()
	x := newExternal(t)
	first := x.serve("--demo")
	second := x.serve()
	token := demoToken(t, first)
	wrong := token[:len(token)-1] + map[bool]string{true: "A", false: "B"}[token[len(token)-1] != 'A']
	flood := func(n int) (answers map[int]int) {
		var codes [600]atomic.Int32
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() {
				c := &http.Client{Transport: &http.Transport{}}
				defer c.CloseIdleConnections()
				for range n / 20 {
					path := []string{"/api/v1/forks", "/docs"}[i/2%2]
					response := ask(t, c, []string{first.url, second.url}[i%2]+path, wrong)
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
					codes[response.StatusCode].Add(1)
				}
			})
		}
		wait.Wait()
		answers = map[int]int{}
		for code := range codes {
			if n := int(codes[code].Load()); n > 0 {
				answers[code] = n
			}
		}
		return answers
	}
	logged := func() (single, counted, lost int) {
		conn, err := pgx.Connect(t.Context(), x.url(url.User("dg_app")))
		require.NoError(t, err)
		defer conn.Close(t.Context())
		require.NoError(t, conn.QueryRow(t.Context(), `select count(*) filter (where details = '{}'),
			coalesce(sum((details->>'notRecorded')::int), 0), count(*) filter (where details ? 'countLost')
			from audit_entries where action = 'api_key.refused'`).Scan(&single, &counted, &lost))
		return single, counted, lost
	}

	all := sized(600, 4000)
	answers := flood(all)
	third := x.serve()
	var single, counted, lost int
	until(t, time.Minute, "the refusals beyond 120 are not in the log", func() bool {
		single, counted, lost = logged()
		return single+counted >= all
	})
	t.Logf("answers %v; entries of one %d, counted %d", answers, single, counted)
	require.Equal(t, all, single+counted)
	require.Equal(t, answers[401]+answers[403], single)
	require.Equal(t, answers[429], counted)
	require.Zero(t, lost)

	flood(all / 4)
	x.die()
	x.start()
	fourth := x.serve()
	until(t, time.Minute, "no entry says that a count was lost", func() bool {
		_, _, lost = logged()
		return lost > 0
	})
	single, counted, _ = logged()
	t.Logf("after a crash of PostgreSQL: entries of one %d, counted %d, said to be lost %d", single, counted, lost)
	require.Equal(t, 2, lost, "one for each reason")
	for _, c := range []*child{first, second, third, fourth} {
		c.stop()
	}
}
