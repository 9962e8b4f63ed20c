package chaos

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// rules.md, Keys; specification, 3.2: a creation, a revocation and a change of role hold for what
// starts after their answer, on every instance. Each is a register, and so is what clients of three
// instances read while it changes.
func TestChangesOfAccessAreImmediate(t *testing.T) {
	t.Parallel()
	organisations := apptest.ChaosSize(2, 10, 10)
	keys := apptest.ChaosSize(4, 50, 50)
	db := fixtures.New(t)
	instances := serveInstances(t, db, 3)
	var entrances []string
	for _, c := range instances {
		entrances = append(entrances, c.URL)
		apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), c.URL+"/sign-in", ""))
	}
	o := beginChaos(t, apptest.DoorTo(t, db.URL), instances...)
	var answers apptest.Counter
	apptest.AtOnce(organisations, func(int) {
		m := apptest.NewOrgUnderChange(t, db, db.Organisation(fixtures.Organisation{}), entrances,
			&answers)
		defer m.HTTP.CloseIdleConnections()
		m.KeysHold(t, keys)
		rolesHold(t, m, apptest.ChaosSize(1, 5, 20))
	})
	t.Logf("answers %v", &answers)
	require.GreaterOrEqual(t, answers.Of("200"), organisations*keys)
	require.Greater(t, answers.Of("401"), organisations*keys)
	require.Zero(t, answers.Of("500"))
	for action, want := range map[string]int{
		"api_key.created": organisations * keys,
		"api_key.revoked": organisations * keys,
		"api_key.refused": answers.Of("401"),
	} {
		require.Equal(t, want, apptest.Read[int](t, o.conn,
			`select count(*) from audit_entries where action = $1`, action), action)
	}
	o.ends(t)
}

// rolesHold takes the role of an owner away, and gives it back, while the owner opens the keys.
func rolesHold(t *testing.T, m *apptest.OrgUnderChange, rounds int) {
	h := new(apptest.Recording)
	p := m.DB.Member(m.ID, "owner")
	session := m.SignedIn(t, p)
	for n := range 2 * rounds {
		role := []string{"member", "owner"}[n%2]
		m.During(func() {
			h.Set(map[string]string{"member": "refused", "owner": "accepted"}[role], func() {
				m.DB.Exec(`update memberships set role = $3 where org_id = $1 and user_id = $2`,
					m.ID, p.ID, role)
			})
		}, func(from string, _ int) {
			browser := session.Stolen()
			browser.Base = from
			h.Read(from, func() string {
				status, _, _ := browser.Send("/o/"+m.Slug+"/settings/api-keys", url.Values(nil))
				return map[int]string{
					http.StatusOK:        "accepted",
					http.StatusForbidden: "refused",
				}[status]
			})
		})
	}
	m.Legal(t, "a role", h)
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
