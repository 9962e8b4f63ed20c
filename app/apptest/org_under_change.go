package apptest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit/fixtures"
)

var shownSecret = regexp.MustCompile(`id="secret"[^>]*>(dg_live_[0-9A-Za-z_]+)<`)

// createClusterKey creates a key on the screen.
func createClusterKey(t *testing.T, c *WebClient, organisation string) (token string) {
	path := "/o/" + organisation + "/settings/api-keys/new"
	body, _ := c.Submit(path, "name", "Cluster", "scopes", "forks:read", "expiry", "never")
	found := shownSecret.FindStringSubmatch(body)
	require.NotNil(t, found, "%s", body)
	return found[1]
}

// RevokeKey revokes it on the screen.
func RevokeKey(t *testing.T, c *WebClient, organisation, token string) {
	path := fmt.Sprintf("/o/%s/settings/api-keys/%s/revoke", organisation,
		token[len("dg_live_"):len("dg_live_")+22])
	status, body, _ := c.Post(path)
	require.Equal(t, http.StatusSeeOther, status, "%s", body)
}

// SomeDays is a period of reports.
const SomeDays = "?from=2026-01-01&to=2026-01-31"

var (
	shownName  = regexp.MustCompile(`Player \d`)
	shownLabel = regexp.MustCompile(`\bP-\d`)
)

// ModeOf is the reporting mode that a report shows.
func ModeOf(_ int, body []byte) string {
	switch {
	case shownName.Match(body):
		return "nominative"
	case shownLabel.Match(body):
		return "pseudonymous"
	}
	return ""
}

// ClientsOfOrg is how many clients use one managed organisation.
const ClientsOfOrg = 5

// OrgUnderChange is an organisation whose owner changes what its clients may do and see, while
// these ask on every instance.
type OrgUnderChange struct {
	fixtures.Organisation
	DB        *fixtures.Database
	Entrances []string // where requests enter: instances, or what leads to them
	Owner     fixtures.Person
	HTTP      *http.Client
	Answers   *Counter
}

// NewOrgUnderChange is the organisation with an owner, used through the entrances.
func NewOrgUnderChange(
	t *testing.T, db *fixtures.Database, o fixtures.Organisation, entrances []string,
	answers *Counter,
) *OrgUnderChange {
	t.Helper()
	m := &OrgUnderChange{
		Organisation: o,
		DB:           db,
		Entrances:    entrances,
		Owner:        db.Member(o.ID, "owner"),
		Answers:      answers,
	}
	m.HTTP = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: ClientsOfOrg},
		Timeout:   30 * time.Second,
	}
	t.Cleanup(m.HTTP.CloseIdleConnections)
	return m
}

// Concurrently runs something n times at once and waits for all.
func Concurrently(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// The looks of a client at a change: beforehand and until it is answered, and then. A key has 120
// requests in a minute.
const (
	looksDuring = 16
	looksAfter  = 4
	lookPause   = 10 * time.Millisecond
)

// During has every client look until something that changes meanwhile is answered, and a few times
// after that, on another instance each time. The change begins once a client has looked.
func (m *OrgUnderChange) During(change func(), look func(from string, turn int)) {
	answered := make(chan struct{})
	looked := make(chan struct{})
	once := sync.OnceFunc(func() { close(looked) })
	clients := make(chan struct{})
	go func() {
		defer close(clients)
		Concurrently(ClientsOfOrg, func(n int) {
			turn := n
			next := func() {
				look(m.Entrances[turn%len(m.Entrances)], turn)
				turn++
				once()
			}
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
	<-looked
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

// Call records what the API answers the key: 200 and 401 are the two values of a register.
func (m *OrgUnderChange) Call(h *Recording, token string) func(from string, turn int) {
	return func(from string, _ int) {
		h.Read(from, func() string {
			status, _ := FetchFrom(m.HTTP, from+"/api/v1/forks", token)
			m.Answers.Add(strconv.Itoa(status))
			return map[int]string{
				http.StatusOK:           "accepted",
				http.StatusUnauthorized: "refused",
			}[status]
		})
	}
}

// SignedIn is a browser of the person.
func (m *OrgUnderChange) SignedIn(t *testing.T, p fixtures.Person) *WebClient {
	t.Helper()
	return NewWebClient(t, m.Entrances[0]).
		SignIn(demo.Account{Email: p.Email, Password: fixtures.Password})
}

// Legal fails where the history is none of a register, or empty.
func (m *OrgUnderChange) Legal(t *testing.T, what string, h *Recording) {
	t.Helper()
	faults := h.Faults()
	require.Empty(t, faults[:min(3, len(faults))], "%s: %d of %d readings", what, len(faults),
		len(h.Readings))
	require.NotEmpty(t, h.Readings, what)
}

// KeysHold creates keys on the screen, one after the other, and revokes each while clients use it.
func (m *OrgUnderChange) KeysHold(t *testing.T, keys int) {
	owner := m.SignedIn(t, m.Owner)
	for range keys {
		h := new(Recording)
		var token string
		h.Set("accepted", func() { token = createClusterKey(t, owner, m.Slug) })
		m.During(func() {
			h.Set("refused", func() { RevokeKey(t, owner, m.Slug, token) })
		}, m.Call(h, token))
		m.Legal(t, "a key revoked", h)
	}
}
