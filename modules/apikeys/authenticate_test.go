package apikeys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
)

var unknownKey = apikeys.Token{ID: "0123456789ABCDEFGHIJKL", Secret: "x"}

// rejections are why a key is rejected: the last one that holds is the reason.
var rejections = []struct {
	reason audit.Reason
	change string
}{
	{audit.BelowPlan, `update organisations set plan = 'team'
		where id = (select org_id from api_keys where id = $1)`},
	{audit.Expired, `update api_keys set expires_at = now() - interval '1 ms' where id = $1`},
	{audit.Revoked, `update api_keys set revoked_at = now() - interval '1 ms' where id = $1`},
	{audit.WrongSecret, `update api_keys set secret_hash = sha256('another') where id = $1`},
}

func (b *bundle) rejectedKey(bits int) (key apikeys.Key, token apikeys.Token, want audit.Reason) {
	b.setPlan(org.PlanPro)
	key, token = b.newKey()
	b.Exec(`update api_keys set expires_at = now() + interval '1 h' where id = $1`, key.ID)
	for bit, r := range rejections {
		if bits>>bit&1 == 1 {
			b.Exec(r.change, key.ID)
			want = r.reason
		}
	}
	return key, token, want
}

// rules.md, Order of checks: wrong secret, then revoked, expired, plan, in all combinations. The
// entry names key, reason and request. A wrong secret gets the answer of an unknown id.
func TestKeyIsRejectedForTheFirstReasonThatHolds(t *testing.T) {
	b := setup(t)
	unknown := requireCode(t, apperr.AuthRequired, b.use(unknownKey))
	for bits := range 1 << len(rejections) {
		key, token, want := b.rejectedKey(bits)
		before := b.Count(`audit_entries`)
		caller, err := b.keys.Authenticate(b.t.Context(), token, requested)
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, key.ID, caller.Actor.ID)
			require.Equal(t, before, b.Count(`audit_entries`), "an accepted use is not recorded")
			require.Equal(t, [2]int{1, 0}, b.taken(key))
			continue
		}
		answer := requireCode(t, apperr.AuthRequired, err)
		require.Zero(t, caller)
		require.Equal(t, want == audit.WrongSecret, answer.Message == unknown.Message, want)
		require.Equal(t, before+1, b.Count(`audit_entries`), want)
		entry := b.entries(audit.KeyRefused)[0]
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name}, entry.Actor)
		require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, entry.Target)
		require.Equal(t, want, entry.Reason)
		require.Equal(t, request, entry.Request)
		require.Equal(t, [2]int{0, 1}, b.taken(key), "it does not count towards the key's own limit")

		// rules.md, Order of checks, 1: outside /api/v1/ it is 403, whatever the key's state.
		requireCode(t, apperr.AccessDenied, b.useOutside(token.ID))
		require.Equal(t, before+2, b.Count(`audit_entries`), want)
		require.Equal(t, audit.OutsideAPI, b.entries(audit.KeyRefused)[0].Reason, want)
	}
}

// rules.md, Audit log: uses of an unknown key are counted in the metrics only (package assembly).
func TestUnknownKeyIsNotRecorded(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	before := b.Count(`audit_entries`)
	for _, id := range []string{unknownKey.ID, "", token.ID[:21], token.ID + "A"} {
		requireCode(t, apperr.AuthRequired, b.use(apikeys.Token{ID: id, Secret: token.Secret}))
		requireCode(t, apperr.AccessDenied, b.useOutside(id))
	}
	require.Equal(t, before, b.Count(`audit_entries`))
	require.Equal(t, 2, b.Count(`api_key_windows`), "an unknown id has no window")
}

// rules.md, Audit log: a refusal is recorded with its target. It is 503 if that fails.
func TestRefusalIsRecordedOrUnavailable(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	caller := b.accept(token)
	target := audit.Target{Kind: "fork", ID: "f"}
	refuse := func() error {
		return b.keys.Refuse(b.t.Context(), caller, audit.OtherOrganisation, target, request, errOutside)
	}
	require.Equal(t, errOutside, refuse())
	entry := b.entries(audit.KeyRefused)[0]
	require.Equal(t, audit.OtherOrganisation, entry.Reason)
	require.Equal(t, target, entry.Target)
	require.Equal(t, caller.Actor, entry.Actor)
	b.Exec(`revoke insert on audit_entries from dg_app`)
	for _, err := range []error{refuse(), b.use(guessed(token)), b.useOutside(token.ID)} {
		requireCode(t, apperr.Unavailable, err)
	}
	b.accept(token)
}

// rules.md, CSV and Keys: a running export, a request and the screen find the same keys usable. A key
// works again once the plan is back.
func TestStillUsableFollowsTheKey(t *testing.T) {
	b := setup(t)
	states := map[audit.Reason]apikeys.State{
		"": apikeys.StateUsable, audit.BelowPlan: apikeys.StatePaused,
		audit.Expired: apikeys.StateExpired, audit.Revoked: apikeys.StateRevoked,
	}
	for bits := range 8 {
		key, token, why := b.rejectedKey(bits)
		before := b.Count(`audit_entries`)
		for _, err := range b.together(2, func(int, *apikeys.Service) error {
			return b.stillUsable(ourOrganisation, key.ID)
		}) {
			require.Equal(t, why == "", err == nil, "%s: %v", why, err)
			require.Equal(t, why != "", apperr.Is(err, apperr.AuthRequired), why)
		}
		require.Zero(t, b.taken(key), "it is not counted")
		require.Equal(t, before, b.Count(`audit_entries`), why)
		require.Error(t, b.stillUsable(theirOrganisation, key.ID))
		read, err := b.keys.Key(b.t.Context(), b.owner, key.ID)
		require.NoError(t, err)
		plan := []org.Plan{org.PlanPro, org.PlanTeam}[bits&1]
		require.Equal(t, states[why], read.State(time.Now(), plan))
		b.setPlan(org.PlanEnterprise)
		works := why == "" || why == audit.BelowPlan
		require.Equal(t, works, b.use(token) == nil, "%s: later", why)
		err = b.stillUsable(ourOrganisation, key.ID)
		require.Equal(t, works, err == nil, "%s: later", why)
	}
}

// rules.md, Keys: a revocation, expiry or change of plan holds on every instance for each request
// that starts after its commit, although both have just accepted the key.
func TestChangesTakeEffectOnTheNextRequestOnEveryInstance(t *testing.T) {
	b := setup(t)
	for range 17 {
		for reason, change := range map[audit.Reason]func(id string){
			audit.Revoked: func(id string) {
				require.NoError(t, b.keys.Revoke(b.t.Context(), b.owner, id, request))
			},
			audit.Expired: func(id string) {
				b.Exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, id)
			},
			audit.BelowPlan: func(string) { b.setPlan(org.PlanFree) },
		} {
			b.setPlan(org.PlanPro)
			key, token := b.newKey()
			require.Equal(t, 3, accepted(b.together(3, b.uses(token))))
			change(key.ID)
			before := len(b.entries(audit.KeyRefused))
			for _, err := range b.together(4, b.uses(token)) {
				requireCode(t, apperr.AuthRequired, err)
			}
			entries := b.entries(audit.KeyRefused)
			require.Len(t, entries, before+4)
			for _, e := range entries[:4] {
				require.Equal(t, reason, e.Reason)
			}
		}
	}
}

// A key is expired at its instant. Revoked is also one that the database's clock, which may be a
// little ahead, has just revoked.
func TestKeyState(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	later := now.Add(time.Millisecond)
	ahead := now.Add(time.Hour)
	for _, c := range []struct {
		revoked, expires *time.Time
		want             apikeys.State
	}{
		{nil, &later, apikeys.StateUsable},
		{nil, &now, apikeys.StateExpired},
		{&later, nil, apikeys.StateRevoked},
		{&ahead, nil, apikeys.StateUsable},
		{&ahead, &now, apikeys.StateExpired},
	} {
		key := apikeys.Key{RevokedAt: c.revoked, ExpiresAt: c.expires}
		require.Equal(t, c.want, key.State(now, org.PlanPro), "%+v", c)
	}
}
