package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// A revocation holds on every instance for what starts after it was answered, and so does a
// creation: 500 keys are made and revoked on the screens, while 50 clients use them everywhere.
func (x *clustered) revocationsHold(t *testing.T) {
	const managers = 10
	const keys = 50
	var entrances []string
	for n := range len(x.Instances) + 1 {
		entrances = append(entrances, x.entrance(n))
	}
	var answers apptest.Counter
	apptest.Concurrently(managers, func(int) {
		m := apptest.NewOrgUnderChange(t, x.db, x.db.Organisation(fixtures.Organisation{}), entrances,
			&answers)
		m.KeysHold(t, keys)
	})
	t.Logf("%d keys made and revoked by %d clients: answers %v", managers*keys,
		managers*apptest.ClientsOfOrg, &answers)
	require.Zero(t, answers.Of("500"))
	require.Greater(t, answers.Of("200"), managers*keys)
	require.Greater(t, answers.Of("401"), managers*keys)
}

// entrance is where the nth request enters: one of the instances, or haproxy.
func (x *clustered) entrance(n int) string {
	if n %= len(x.Instances) + 1; n < len(x.Instances) {
		return x.Instances[n].URL
	}
	return x.ProxyURL()
}
