package apikeys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/testkit/fixtures"
)

// rules.md, Order of checks: wrong secret, then revoked, expired, plan. All combinations of the
// four.
func TestKeyIsRejectedForTheFirstReasonThatHolds(t *testing.T) {
	b := setup(t)
	for combination := range 16 {
		wrong := combination&8 != 0
		revoked := combination&4 != 0
		expired := combination&2 != 0
		paused := combination&1 != 0
		name := fmt.Sprintf("wrong secret %v, revoked %v, expired %v, below Pro %v", wrong, revoked,
			expired, paused)
		b.setPlan(org.PlanPro)
		key, token := b.newKey()
		if wrong {
			token = guessed(token)
		}
		if revoked {
			b.Exec(`update api_keys set revoked_at = now() where id = $1`, key.ID)
		}
		if expired {
			b.Exec(`update api_keys set expires_at = now() - interval '1 ms' where id = $1`, key.ID)
		}
		if paused {
			b.setPlan(org.PlanTeam)
		}
		var want audit.Reason
		switch {
		case wrong:
			want = audit.WrongSecret
		case revoked:
			want = audit.Revoked
		case expired:
			want = audit.Expired
		case paused:
			want = audit.BelowPlan
		}
		before := b.logged()

		caller, err := b.keys.Authenticate(b.ctx(), token, request)
		if want == "" {
			require.NoError(t, err, name)
			require.Equal(t, key.ID, caller.KeyID)
			require.Equal(t, before, b.logged(), "an accepted use is not recorded")
			require.Equal(t, 1, b.taken(key.ID, false))
			require.Equal(t, 0, b.taken(key.ID, true))
			continue
		}
		requireCode(t, apperr.AuthRequired, err)
		require.Zero(t, caller, name)
		require.Equal(t, before+1, b.logged(), name)
		require.Equal(t, want, b.entries(audit.KeyRefused)[0].Reason, name)
		require.Equal(t, 0, b.taken(key.ID, false),
			"%s: a rejected request does not count towards the key's own limit", name)
		require.Equal(t, 1, b.taken(key.ID, true), name)

		// rules.md, Order of checks, 1: outside /api/v1/ it is 403, whatever the key's state.
		requireCode(t, apperr.AccessDenied,
			b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside))
		require.Equal(t, before+2, b.logged(), name)
		require.Equal(t, audit.OutsideAPI, b.entries(audit.KeyRefused)[0].Reason, name)
	}
	require.Zero(t, b.unknown.Load())
}

// rules.md, Audit log: the entry names the key, the reason and the request.
func TestRejectionIsRecordedInFull(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	_, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
	requireCode(t, apperr.AuthRequired, err)
	entries := b.entries(audit.KeyRefused)
	require.Len(t, entries, 1)
	e := entries[0]
	require.Equal(t, ourOrganisation, e.OrganisationID)
	require.Equal(t, audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name}, e.Actor)
	require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, e.Target)
	require.Equal(t, audit.WrongSecret, e.Reason)
	require.Equal(t, request, e.Request)
	require.WithinDuration(t, time.Now(), e.At, time.Minute)
}

// rules.md, Keys: a known id with a wrong secret and an unknown id get the same answer, in whatever
// state the key is.
func TestWrongSecretAndUnknownKeyGetTheSameAnswer(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	_, unknown := b.keys.Authenticate(b.ctx(),
		apikeys.Token{ID: "0123456789ABCDEFGHIJKL", Secret: token.Secret}, request)
	want := requireCode(t, apperr.AuthRequired, unknown)
	for _, state := range []string{"name = name", "revoked_at = now()", "expires_at = now()"} {
		b.Exec(`update api_keys set ` + state)
		_, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
		require.Equal(t, want, requireCode(t, apperr.AuthRequired, err), state)
	}
	b.setPlan(org.PlanTeam)
	_, err := b.keys.Authenticate(b.ctx(), guessed(token), request)
	require.Equal(t, want, requireCode(t, apperr.AuthRequired, err))
}

// rules.md, Keys: a caller with the right secret learns what is wrong with the key; the code is the
// same.
func TestRightSecretLearnsWhyTheKeyIsRejected(t *testing.T) {
	b := setup(t)
	for message, change := range map[string]string{
		"This API key was revoked on 2026-03-01 at 09:30 UTC. Create another one in the " +
			"organisation's settings.": `update api_keys set revoked_at = '2026-03-01T09:30:59Z' where id = $1`,
		"This API key expired on 2026-02-28 at 23:00 UTC. Create another one in the " +
			"organisation's settings.": `update api_keys set expires_at = '2026-03-01T00:00:00+01' where id = $1`,
		"This API key needs the Pro plan. It works again when the organisation moves to Pro or " +
			"Enterprise.": `update organisations set plan = 'team' where id = (select org_id
				from api_keys where id = $1)`,
	} {
		b.setPlan(org.PlanPro)
		key, token := b.newKey()
		b.Exec(change, key.ID)
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		require.Equal(t, message, requireCode(t, apperr.AuthRequired, err).Message)
	}
}

// rules.md, Audit log: a key that no organisation owns has no log, and is counted.
func TestUnknownKeyIsCounted(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	before := b.logged()
	for i, id := range []string{"0123456789ABCDEFGHIJKL", "", token.ID[:21], token.ID + "A"} {
		_, err := b.keys.Authenticate(b.ctx(), apikeys.Token{ID: id, Secret: token.Secret}, request)
		requireCode(t, apperr.AuthRequired, err)
		requireCode(t, apperr.AccessDenied, b.keys.RefuseOutside(b.ctx(), id, request, errOutside))
		require.EqualValues(t, 2*(i+1), b.unknown.Load())
	}
	require.Equal(t, before, b.logged())
	require.Equal(t, 2, fixtures.One[int](b.Database, `select count(*) from api_key_windows`),
		"an unknown id leaves nothing behind")
}

// rules.md, Keys: the plan is read at every request; moving up again makes keys work again.
func TestPlanIsReadAtEveryRequest(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	for _, c := range []struct {
		plan org.Plan
		ok   bool
	}{
		{org.PlanFree, false}, {org.PlanPro, true}, {org.PlanTeam, false},
		{org.PlanEnterprise, true}, {org.PlanFree, false}, {org.PlanPro, true},
	} {
		b.setPlan(c.plan)
		for _, instance := range []*instance{b.keys, b.other} {
			_, err := instance.Authenticate(b.ctx(), token, request)
			require.Equal(t, c.ok, err == nil, "%s: %v", c.plan, err)
		}
	}
}

// rules.md, Keys: from the instant of expiry on the key is expired, not before it.
func TestExpiryIsAnInstant(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	for name, c := range map[string]struct {
		at string
		ok bool
	}{
		"never":       {"null", true},
		"in an hour":  {"now() + interval '1 h'", true},
		"just now":    {"date_trunc('milliseconds', now())", false},
		"an hour ago": {"now() - interval '1 h'", false},
	} {
		b.Exec(`update api_keys set expires_at = `+c.at+` where id = $1`, key.ID)
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		require.Equal(t, c.ok, err == nil, "%s: %v", name, err)
	}
}

// The caller is the key with its organisation, its scopes and the organisation's version.
func TestCallerIsTheKey(t *testing.T) {
	b := setup(t)
	for _, scopes := range [][]apikeys.Scope{
		{apikeys.ForksRead}, {apikeys.ReportsRead}, {apikeys.ReportsRead, apikeys.ForksRead},
	} {
		key, token, err := b.keys.Create(b.ctx(), b.owner,
			apikeys.NewKey{Name: "BI", Scopes: scopes}, request)
		require.NoError(t, err)
		b.Exec(`update organisations set name = name || '!' where id = $1`, ourOrganisation)
		version := fixtures.One[int64](b.Database,
			`select version from organisations where id = $1`,
			ourOrganisation)
		caller, err := b.keys.Authenticate(b.ctx(), token, request)
		require.NoError(t, err)
		require.EqualExportedValues(t, apikeys.Caller{
			KeyID:               key.ID,
			KeyName:             "BI",
			OrganisationID:      ourOrganisation,
			Scopes:              scopes,
			OrganisationVersion: version,
			RateLimit:           apikeys.RateLimit{Remaining: 119, Reset: 60},
		}, caller)
		grants := make([]string, len(scopes))
		for i, s := range scopes {
			grants[i] = string(s)
		}
		require.Equal(t, authz.Subject{
			Kind:           authz.Key,
			OrganisationID: ourOrganisation,
			Grants:         grants,
		}, caller.Subject())
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: key.ID, Name: "BI"}, caller.Actor())
	}
}

// Refuse records an insufficient scope and a fork of another organisation.
func TestRefuseRecordsAndAnswers(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	caller, err := b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	answer := apperr.New(apperr.AccessDenied, "no")
	target := audit.Target{Kind: "fork", ID: "f"}
	require.Equal(t, answer,
		b.keys.Refuse(b.ctx(), caller, audit.OtherOrganisation, target, request, answer))
	entries := b.entries(audit.KeyRefused)
	require.Len(t, entries, 1)
	require.Equal(t, audit.OtherOrganisation, entries[0].Reason)
	require.Equal(t, target, entries[0].Target)
	require.Equal(t, caller.Actor(), entries[0].Actor)
}

// rules.md, Audit log: a refusal whose entry cannot be written is answered 503.
func TestRejectionThatCannotBeRecordedIsUnavailable(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	caller, err := b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	b.breakLog()
	_, err = b.keys.Authenticate(b.ctx(), guessed(token), request)
	requireCode(t, apperr.Unavailable, err)
	requireCode(t, apperr.Unavailable, b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside))
	answer := apperr.New(apperr.AccessDenied, "no")
	requireCode(t, apperr.Unavailable,
		b.keys.Refuse(b.ctx(), caller, audit.InsufficientScope, audit.Target{}, request, answer))
	_, err = b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err, "what is not refused needs no entry")
}

// rules.md, CSV: a running export asks whether its key is still usable.
func TestStillUsableFollowsTheKey(t *testing.T) {
	b := setup(t)
	for name, c := range map[string]struct {
		change string
		plan   org.Plan
		ok     bool
	}{
		"usable":        {"revoked_at = null", org.PlanPro, true},
		"enterprise":    {"revoked_at = null", org.PlanEnterprise, true},
		"expires later": {"expires_at = now() + interval '1 h'", org.PlanPro, true},
		"revoked":       {"revoked_at = now()", org.PlanPro, false},
		"expired":       {"expires_at = now() - interval '1 s'", org.PlanPro, false},
		"below Pro":     {"revoked_at = null", org.PlanTeam, false},
		"free":          {"revoked_at = null", org.PlanFree, false},
		"all three at once": {
			"revoked_at = now(), expires_at = now() - interval '1 s'", org.PlanFree, false,
		},
	} {
		b.setPlan(org.PlanPro)
		key, _ := b.newKey()
		b.Exec(`update api_keys set `+c.change+` where id = $1`, key.ID)
		b.setPlan(c.plan)
		before := b.logged()
		for _, instance := range []*instance{b.keys, b.other} {
			err := instance.StillUsable(b.ctx(), ourOrganisation, key.ID)
			if c.ok {
				require.NoError(t, err, name)
			} else {
				requireCode(t, apperr.AuthRequired, err)
			}
		}
		require.Zero(t, b.taken(key.ID, false)+b.taken(key.ID, true),
			"%s: it does not count towards the rate limit", name)
		require.Equal(t, before, b.logged(), name)
		require.Error(t, b.keys.StillUsable(b.ctx(), theirOrganisation, key.ID),
			"%s: of another organisation", name)
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
		{nil, nil, org.PlanPro, apikeys.Usable},
		{nil, nil, org.PlanEnterprise, apikeys.Usable},
		{nil, &later, org.PlanPro, apikeys.Usable},
		{nil, &now, org.PlanPro, apikeys.ExpiredKey},
		{nil, &before, org.PlanPro, apikeys.ExpiredKey},
		{nil, nil, org.PlanTeam, apikeys.PausedByPlan},
		{nil, nil, org.PlanFree, apikeys.PausedByPlan},
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
