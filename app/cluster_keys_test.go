package main

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

// A revocation holds on every instance for what starts after it was answered, and so does a creation: 500 keys are made and
// revoked on the screens, while 50 clients use them everywhere.
func (x *clustered) revocationsHold(t *testing.T) {
	const managers, clients, keys = 10, 5, 50 // clients and keys of each manager
	var answers tally
	var violations, readings int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range managers {
		all.Go(func() {
			c := newWebClient(t, x.ProxyURL()).signIn(demo.Account{Email: x.owner.Email, Password: fixtures.Password})
			for range keys {
				h := x.lifeOfKey(t, c, clients, &answers)
				mu.Lock()
				violations, readings = violations+len(h.stale()), readings+len(h.readings)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.Logf("%d keys made and revoked, %d requests by %d clients: %d against the rule; answers %v",
		managers*keys, readings, managers*clients, violations, &answers)
	require.Zero(t, violations)
	require.Zero(t, answers.of("500"))
	require.Greater(t, answers.of("200"), managers*keys)
	require.Greater(t, answers.of("401"), managers*keys)
}

// lifeOfKey creates a key, has clients use it, and revokes it meanwhile.
func (x *clustered) lifeOfKey(t *testing.T, c *webClient, clients int, answers *tally) *recording {
	h := new(recording)
	var token string
	h.set("accepted", func() { token = createClusterKey(t, c, x.slug) })
	var using sync.WaitGroup
	var revoked sync.WaitGroup
	revoked.Add(1)
	for n := range clients {
		using.Go(func() {
			use := func(i int) {
				from := x.entrance(n + i)
				h.read(from, func() string {
					status, _ := fetchFrom(http.DefaultClient, from+"/api/v1/forks", token)
					answers.add(strconv.Itoa(status))
					return map[int]string{http.StatusOK: "accepted", http.StatusUnauthorized: "refused"}[status]
				})
			}
			for i := range 4 {
				use(i)
			}
			revoked.Wait()
			for i := range 4 {
				use(i)
			}
		})
	}
	h.set("refused", func() { revokeKey(t, c, x.slug, token) })
	revoked.Done()
	using.Wait()
	return h
}

var shownSecret = regexp.MustCompile(`id="secret"[^>]*>(dg_live_[0-9A-Za-z_]+)<`)

// createClusterKey creates a key on the screen.
func createClusterKey(t *testing.T, c *webClient, organisation string) (token string) {
	path := "/o/" + organisation + "/settings/api-keys/new"
	body, _ := c.submit(path, "name", "Cluster", "scopes", "forks:read", "expiry", "never")
	found := shownSecret.FindStringSubmatch(body)
	require.NotNil(t, found, "%s", body)
	return found[1]
}

// revokeKey revokes it on the screen.
func revokeKey(t *testing.T, c *webClient, organisation, token string) {
	path := fmt.Sprintf("/o/%s/settings/api-keys/%s/revoke", organisation, token[len("dg_live_"):len("dg_live_")+22])
	status, body, _ := c.post(path)
	require.Equal(t, http.StatusSeeOther, status, "%s", body)
}

// entrance is where the nth request enters: one of the instances, or haproxy.
func (x *clustered) entrance(n int) string {
	if n %= len(x.Instances) + 1; n < len(x.Instances) {
		return x.Instances[n].URL
	}
	return x.ProxyURL()
}

// waitReady waits until haproxy leads to every instance again.
func (x *clustered) waitReady(t *testing.T) {
	t.Helper()
	until(t, 30*time.Second, "not every instance is ready", func() bool {
		for n := range len(x.Instances) + 1 {
			if status, _ := fetchFrom(http.DefaultClient, x.entrance(n)+"/readyz", ""); status != http.StatusOK {
				return false
			}
		}
		return true
	})
}
