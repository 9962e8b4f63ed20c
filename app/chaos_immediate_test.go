package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// A revocation and a creation hold for what starts after their answer, on every instance, and so do the end of a key, a plan, a
// role, two-step verification and a reporting mode: each is a register, and so is what clients of three instances read while
// it changes.
func TestChangesOfAccessAreImmediate(t *testing.T) {
	t.Parallel()
	organisations, keys, rounds := chaosSize(5, 10, 10), chaosSize(4, 50, 50), chaosSize(1, 5, 20)
	db := fixtures.New(t)
	instances := serveInstances(t, db, 3)
	var entrances []string
	for _, c := range instances {
		entrances = append(entrances, c.url)
		readAll(t, ask(t, client(), c.url+"/sign-in", ""))
	}
	o := beginOrdeal(t, doorTo(t, db.URL), instances...)
	var answers tally
	begun := time.Now()
	each(organisations, func(n int) {
		m := newManaged(t, db, db.Organisation(fixtures.Organisation{}), entrances, &answers)
		defer m.http.CloseIdleConnections()
		m.keysHold(t, keys)
		for i, hold := range []func(*testing.T, int){m.expiriesHold, m.plansHold, m.rolesHold, m.secondStepsHold, m.modesHold} {
			if chaos || i == n {
				hold(t, rounds)
			}
		}
	})
	t.Logf("%d keys made and revoked, and the rest in %d rounds, by %d clients on %d instances in %s: answers %v", organisations*keys, rounds,
		organisations*managedClients, len(instances), time.Since(begun).Round(time.Millisecond), &answers)
	require.Greater(t, answers.of("200"), organisations*keys)
	require.Greater(t, answers.of("401"), organisations*keys)
	for _, wrong := range []string{"500", "screen 500", "report 500", "dashboard 500"} {
		require.Zero(t, answers.of(wrong), wrong)
	}
	for action, want := range map[string]int{
		"api_key.created": organisations * keys, "api_key.revoked": organisations * keys, "api_key.refused": answers.of("401"),
	} {
		require.Equal(t, want, read[int](t, o.door, `select count(*) from audit_entries where action = $1`, action), action)
	}
	o.ends(t)
}

// serveInstances starts instances of dg on one database.
func serveInstances(t *testing.T, db *fixtures.Database, n int) (instances []*child) {
	t.Helper()
	for range n {
		instances = append(instances, launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
			"--database-url", db.URL, "--migrate-database-url", db.OwnerURL))
	}
	for _, c := range instances {
		c.untilServing()
	}
	return instances
}
