package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// A revocation and a creation hold for what starts after their answer, on every instance, and so do
// the end of a key, a plan, a role, two-step verification and a reporting mode: each is a register,
// and so is what clients of three instances read while it changes.
func TestChangesOfAccessAreImmediate(t *testing.T) {
	t.Parallel()
	organisations := apptest.ChaosSize(5, 10, 10)
	keys := apptest.ChaosSize(4, 50, 50)
	rounds := apptest.ChaosSize(1, 5, 20)
	db := fixtures.New(t)
	instances := serveInstances(t, db, 3)
	var entrances []string
	for _, c := range instances {
		entrances = append(entrances, c.URL)
		apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), c.URL+"/sign-in", ""))
	}
	o := beginOrdeal(t, apptest.DoorTo(t, db.URL), instances...)
	var answers apptest.Tally
	begun := time.Now()
	apptest.AtOnce(organisations, func(n int) {
		m := apptest.NewManaged(t, db, db.Organisation(fixtures.Organisation{}), entrances,
			&answers)
		defer m.HTTP.CloseIdleConnections()
		m.KeysHold(t, keys)
		for i, hold := range []func(*testing.T, *apptest.Managed, int){
			expiriesHold, plansHold, rolesHold, secondStepsHold, modesHold,
		} {
			if apptest.Chaos || i == n {
				hold(t, m, rounds)
			}
		}
	})
	t.Logf("%d keys made and revoked, and the rest in %d rounds, by %d clients on %d instances "+
		"in %s: answers %v", organisations*keys, rounds,
		organisations*apptest.ManagedClients, len(instances),
		time.Since(begun).Round(time.Millisecond), &answers)
	require.Greater(t, answers.Of("200"), organisations*keys)
	require.Greater(t, answers.Of("401"), organisations*keys)
	for _, wrong := range []string{"500", "screen 500", "report 500", "dashboard 500"} {
		require.Zero(t, answers.Of(wrong), wrong)
	}
	for action, want := range map[string]int{
		"api_key.created": organisations * keys,
		"api_key.revoked": organisations * keys,
		"api_key.refused": answers.Of("401"),
	} {
		require.Equal(t, want,
			apptest.Read[int](t, o.door, `select count(*) from audit_entries where action = $1`,
				action), action)
	}
	o.ends(t)
}

// serveInstances starts instances of dg on one database.
func serveInstances(t *testing.T, db *fixtures.Database, n int) (instances []*apptest.Child) {
	t.Helper()
	for range n {
		instances = append(instances,
			apptest.Launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
				"--database-url", db.URL, "--migrate-database-url", db.OwnerURL))
	}
	for _, c := range instances {
		c.UntilServing()
	}
	return instances
}
