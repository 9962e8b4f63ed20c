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

// RevokeKey revokes a key on the screen.
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

// ClientsOfOrg is the number of clients of one OrgUnderChange.
const ClientsOfOrg = 5

// OrgUnderChange is an organisation whose owner changes the access of its clients while they use
// every instance.
type OrgUnderChange struct {
	fixtures.Organisation
	DB        *fixtures.Database
	Entrances []string // URLs of instances or of a proxy
	Owner     fixtures.Person
	HTTP      *http.Client
	Answers   *Counter
}

// NewOrgUnderChange gives the organisation an owner.
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

// Concurrently calls do n times concurrently and waits for all calls.
func Concurrently(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// How often a client looks until a change is answered, and afterwards. A key has 120 requests a
// minute.
const (
	looksDuring = 16
	looksAfter  = 4
	lookPause   = 10 * time.Millisecond
)

// During lets every client look on each instance in turn, until the change is answered and a few
// times after it. The change begins after the first look.
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

// Call records whether the API accepts the key (200) or refuses it (401).
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

// Legal fails if the history is empty or not linearizable.
func (m *OrgUnderChange) Legal(t *testing.T, what string, h *Recording) {
	t.Helper()
	faults := h.Faults()
	require.Empty(t, faults[:min(3, len(faults))], "%s: %d of %d readings", what, len(faults),
		len(h.Readings))
	require.NotEmpty(t, h.Readings, what)
}

// KeysHold creates keys on the screen in turn, and revokes each while clients use it.
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
