package apikeys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
)

var unknownKey = apikeys.Token{ID: "0123456789ABCDEFGHIJKL", Secret: "x"}

// rules.md, Order of checks: wrong secret, then revoked, expired, plan, in all combinations. The
// entry names key, reason and request. A wrong secret gets the answer of an unknown id.
func TestKeyIsRejectedForTheFirstReasonThatHolds(t *testing.T) {
	b := setup(t)
	unknown := requireCode(t, apperr.AuthRequired, b.use(unknownKey))
	require.EqualValues(t, 1, b.unknown.Swap(0))
	for combination := range 16 {
		var want audit.Reason
		b.setPlan(org.PlanPro)
		key, token := b.newKey()
		if combination&1 != 0 {
			b.setPlan(org.PlanTeam)
			want = audit.BelowPlan
		}
		if combination&2 != 0 {
			b.Exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, key.ID)
			want = audit.Expired
		}
		if combination&4 != 0 {
			b.Exec(`update api_keys set revoked_at = now() - interval '1 ms' where id = $1`, key.ID)
			want = audit.Revoked
		}
		if combination&8 != 0 {
			token = guessed(token)
			want = audit.WrongSecret
		}
		before := b.logged()
		caller, err := b.keys.Authenticate(b.ctx(), token, requested)
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, key.ID, caller.Actor.ID)
			require.Equal(t, before, b.logged(), "an accepted use is not recorded")
			require.Equal(t, []int{1, 0}, []int{b.taken(key.ID, false), b.taken(key.ID, true)})
			continue
		}
		answer := requireCode(t, apperr.AuthRequired, err)
		require.Zero(t, caller)
		require.Equal(t, want == audit.WrongSecret, answer.Message == unknown.Message, want)
		require.Equal(t, before+1, b.logged(), want)
		entry := b.entries(audit.KeyRefused)[0]
		require.WithinDuration(t, time.Now(), entry.At, time.Minute)
		require.Equal(t, audit.Entry{
			ID:             entry.ID,
			At:             entry.At,
			OrganisationID: ourOrganisation,
			Actor:          audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name},
			Target:         audit.Target{Kind: "api_key", ID: key.ID},
			Action:         audit.KeyRefused,
			Reason:         want,
			Details:        entry.Details,
			Request:        request,
		}, entry)
		require.Equal(t, []int{0, 1}, []int{b.taken(key.ID, false), b.taken(key.ID, true)},
			"a rejected request does not count towards the key's own limit")

		// rules.md, Order of checks, 1: outside /api/v1/ it is 403, whatever the key's state.
		requireCode(t, apperr.AccessDenied, b.useOutside(token.ID))
		require.Equal(t, before+2, b.logged(), want)
		require.Equal(t, audit.OutsideAPI, b.entries(audit.KeyRefused)[0].Reason, want)
	}
	require.Zero(t, b.unknown.Load())
}

// rules.md, Audit log: uses of an unknown key are counted in the metrics only.
func TestUnknownKeyIsCounted(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	before := b.logged()
	for i, id := range []string{unknownKey.ID, "", token.ID[:21], token.ID + "A"} {
		requireCode(t, apperr.AuthRequired, b.use(apikeys.Token{ID: id, Secret: token.Secret}))
		requireCode(t, apperr.AccessDenied, b.useOutside(id))
		require.EqualValues(t, 2*(i+1), b.unknown.Load())
	}
	require.Equal(t, before, b.logged())
	require.Equal(t, 2, b.count(`api_key_windows`), "an unknown id has no window")
}

// rules.md, Audit log: a refusal is recorded with its target. It is 503 if that fails.
func TestRefusalIsRecordedOrUnavailable(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	caller := b.accept(token)
	target := audit.Target{Kind: "fork", ID: "f"}
	refuse := func() error {
		return b.keys.Refuse(b.ctx(), caller, audit.OtherOrganisation, target, request, errOutside)
	}
	require.Equal(t, errOutside, refuse())
	entry := b.entries(audit.KeyRefused)[0]
	require.Equal(t, audit.OtherOrganisation, entry.Reason)
	require.Equal(t, target, entry.Target)
	require.Equal(t, caller.Actor, entry.Actor)
	b.breakLog()
	for _, err := range []error{refuse(), b.use(guessed(token)), b.useOutside(token.ID)} {
		requireCode(t, apperr.Unavailable, err)
	}
	b.accept(token)
}

// rules.md, CSV and Keys: a running export and a request find the same keys usable. A key works again
// once the plan is back.
func TestStillUsableFollowsTheKey(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		change string
		plan   org.Plan
		ok     bool
	}{
		{"revoked_at = null", org.PlanPro, true},
		{"revoked_at = null", org.PlanEnterprise, true},
		{"expires_at = now() + interval '1 h'", org.PlanPro, true},
		{"revoked_at = now() - interval '1 ms'", org.PlanPro, false},
		{"expires_at = date_trunc('milliseconds', now())", org.PlanPro, false},
		{"expires_at = now() - interval '1 h'", org.PlanPro, false},
		{"revoked_at = null", org.PlanTeam, false},
		{"revoked_at = null", org.PlanFree, false},
		{"revoked_at = now() - interval '1 ms', expires_at = now() - interval '1 s'", org.PlanFree, false},
	} {
		b.setPlan(org.PlanPro)
		key, token := b.newKey()
		b.Exec(`update api_keys set `+c.change+` where id = $1`, key.ID)
		b.setPlan(c.plan)
		before := b.logged()
		for _, err := range b.together(2, func(_ int, on *apikeys.Service) error {
			return on.StillUsable(b.ctx(), ourOrganisation, key.ID)
		}) {
			require.Equal(t, c.ok, err == nil, "%+v: %v", c, err)
			require.Equal(t, !c.ok, apperr.Is(err, apperr.AuthRequired), "%+v", c)
		}
		require.Zero(t, b.taken(key.ID, false)+b.taken(key.ID, true), "it is not counted")
		require.Equal(t, before, b.logged(), "%+v", c)
		require.Error(t, b.keys.StillUsable(b.ctx(), theirOrganisation, key.ID))
		require.Equal(t, c.ok, b.use(token) == nil, "%+v: as a request", c)
		b.setPlan(org.PlanPro)
		works := c.ok || strings.HasPrefix(c.change, "revoked_at = null")
		require.Equal(t, works, b.use(token) == nil, "%+v: after moving up", c)
	}
}

// rules.md, Keys: the screen shows the state by which a request is rejected.
func TestKeyState(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	before := now.Add(-time.Millisecond)
	later := now.Add(time.Millisecond)
	ahead := now.Add(time.Hour)
	for _, c := range []struct {
		revoked, expires *time.Time
		plan             org.Plan
		want             apikeys.State
	}{
		{nil, nil, org.PlanEnterprise, apikeys.Usable},
		{nil, &later, org.PlanPro, apikeys.Usable},
		{nil, &now, org.PlanPro, apikeys.ExpiredKey},
		{nil, nil, org.PlanTeam, apikeys.PausedByPlan},
		{nil, nil, "", apikeys.PausedByPlan},
		{&before, nil, org.PlanPro, apikeys.RevokedKey},
		{&later, nil, org.PlanPro, apikeys.RevokedKey}, // the database's clock is a little ahead
		{&ahead, nil, org.PlanPro, apikeys.Usable},
		{&ahead, &before, org.PlanPro, apikeys.ExpiredKey},
		{&ahead, nil, org.PlanFree, apikeys.PausedByPlan},
		{&before, &before, org.PlanFree, apikeys.RevokedKey},
		{nil, &before, org.PlanFree, apikeys.ExpiredKey},
	} {
		require.Equal(t, c.want,
			apikeys.Key{RevokedAt: c.revoked, ExpiresAt: c.expires}.State(now, c.plan), "%+v", c)
	}
}
