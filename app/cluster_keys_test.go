package main

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// A revocation holds on every instance for what starts after it was answered, and so does a creation: 500 keys are made and
// revoked on the screens, while 50 clients use them everywhere.
func (x *clustered) revocationsHold(t *testing.T) {
	const managers, keys = 10, 50
	var entrances []string
	for n := range len(x.Instances) + 1 {
		entrances = append(entrances, x.entrance(n))
	}
	var answers tally
	each(managers, func(int) {
		m := newManaged(t, x.db, x.db.Organisation(fixtures.Organisation{}), entrances, &answers)
		m.keysHold(t, keys)
	})
	t.Logf("%d keys made and revoked by %d clients: answers %v", managers*keys, managers*managedClients, &answers)
	require.Zero(t, answers.of("500"))
	require.Greater(t, answers.of("200"), managers*keys)
	require.Greater(t, answers.of("401"), managers*keys)
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
