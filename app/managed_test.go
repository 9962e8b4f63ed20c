package main

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit/fixtures"
)

// managedClients is how many clients use one managed organisation.
const managedClients = 5

// managed is an organisation whose owner changes what its clients may do and see, while these ask on every instance.
type managed struct {
	fixtures.Organisation
	db        *fixtures.Database
	entrances []string // where requests enter: instances, or what leads to them
	owner     fixtures.Person
	http      *http.Client
	answers   *tally
}

func newManaged(t *testing.T, db *fixtures.Database, o fixtures.Organisation, entrances []string, answers *tally) *managed {
	t.Helper()
	m := &managed{Organisation: o, db: db, entrances: entrances, owner: db.Member(o.ID, "owner"), answers: answers}
	m.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: managedClients}, Timeout: 30 * time.Second}
	t.Cleanup(m.http.CloseIdleConnections)
	return m
}

// each runs something n times at once and waits for all.
func each(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// The looks of a client at a change: beforehand and until it is answered, and then. A key has 120 requests in a minute.
const (
	looksDuring = 16
	looksAfter  = 4
	lookPause   = 10 * time.Millisecond
)

// during has every client look until something that changes meanwhile is answered, and a few times after that, on another
// instance each time.
func (m *managed) during(change func(), look func(from string, turn int)) {
	answered := make(chan struct{})
	clients := make(chan struct{})
	go func() {
		defer close(clients)
		each(managedClients, func(n int) {
			turn := n
			next := func() { look(m.entrances[turn%len(m.entrances)], turn); turn++ }
			for i := range looksDuring {
				if next(); i > 0 && closedWithin(answered, lookPause) {
					break
				}
			}
			<-answered
			for range looksAfter {
				next()
			}
		})
	}()
	defer func() { <-clients }()
	defer close(answered)
	change()
}

func closedWithin(c <-chan struct{}, within time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(within):
		return false
	}
}

// call records what the API answers the key: 200 and 401 are the two values of a register.
func (m *managed) call(h *recording, token string) func(from string, turn int) {
	return func(from string, _ int) {
		h.read(from, func() string {
			status, _ := fetchFrom(m.http, from+"/api/v1/forks", token)
			m.answers.add(strconv.Itoa(status))
			return map[int]string{http.StatusOK: "accepted", http.StatusUnauthorized: "refused"}[status]
		})
	}
}

// signedIn is a browser of the person.
func (m *managed) signedIn(t *testing.T, p fixtures.Person) *webClient {
	t.Helper()
	return newWebClient(t, m.entrances[0]).signIn(demo.Account{Email: p.Email, Password: fixtures.Password})
}

// legal fails where the history is none of a register, or empty.
func (m *managed) legal(t *testing.T, what string, h *recording) {
	t.Helper()
	faults := h.faults()
	require.Empty(t, faults[:min(3, len(faults))], "%s: %d of %d readings", what, len(faults), len(h.readings))
	require.NotEmpty(t, h.readings, what)
}

// keysHold creates keys on the screen, one after the other, and revokes each while clients use it.
func (m *managed) keysHold(t *testing.T, keys int) {
	owner := m.signedIn(t, m.owner)
	for range keys {
		h := new(recording)
		var token string
		h.set("accepted", func() { token = createClusterKey(t, owner, m.Slug) })
		m.during(func() {
			h.set("refused", func() { revokeKey(t, owner, m.Slug, token) })
		}, m.call(h, token))
		m.legal(t, "a key revoked", h)
	}
}
