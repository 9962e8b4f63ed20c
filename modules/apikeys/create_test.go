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

// rules.md, Keys: owners, and admins with two-step verification, create keys; any owner or admin
// lists and revokes them, also below the Pro plan.
func TestOnlyOwnersAndAdminsManageKeys(t *testing.T) {
	b := setup(t)
	_, token := b.newKey()
	for _, c := range []struct {
		actor          apikeys.Actor
		creates, stops bool
	}{
		{member(ourOrganisation, "owner", false), true, true},
		{member(ourOrganisation, "owner", true), true, true},
		{member(ourOrganisation, "admin", false), false, true},
		{member(ourOrganisation, "admin", true), true, true},
		{member(ourOrganisation, "member", false), false, false},
		{member(ourOrganisation, "member", true), false, false},
		{member(ourOrganisation, "", true), false, false},
		{member(ourOrganisation, "superuser", true), false, false},
		{member("", "owner", true), false, false},
		{apikeys.Actor{Subject: b.accept(token).Subject()}, false, false},
	} {
		for _, plan := range []org.Plan{org.PlanFree, org.PlanTeam, org.PlanPro, org.PlanEnterprise} {
			b.setPlan(org.PlanPro)
			existing, _ := b.newKey()
			b.setPlan(plan)
			before := b.count(`api_keys`)
			creates := c.creates && plan.IncludesAPI()

			_, token, err := b.create(c.actor)
			require.Equal(t, creates, err == nil, "%+v %s: %v", c, plan, err)
			require.Equal(t, creates, token != apikeys.Token{}, "%+v %s", c, plan)
			require.Equal(t, creates, b.count(`api_keys`) == before+1, "%+v %s", c, plan)

			listed, listErr := b.keys.List(b.ctx(), c.actor)
			revokeErr := b.keys.Revoke(b.ctx(), c.actor, existing.ID, request)
			require.Equal(t, c.stops, listErr == nil, "%+v: %v", c, listErr)
			require.Equal(t, c.stops, len(listed) == b.count(`api_keys`), "%+v", c)
			require.Equal(t, c.stops, revokeErr == nil, "%+v: %v", c, revokeErr)
			require.Equal(t, c.stops, b.instant("revoked_at", existing) != nil, "%+v", c)
			for _, err := range []error{err, listErr, revokeErr} {
				require.True(t, err == nil || apperr.Is(err, apperr.AccessDenied), "%v", err)
			}
		}
	}
}

// Name and scopes are required. An expiry is optional and lies in the future.
func TestNewKeyIsValidated(t *testing.T) {
	b := setup(t)
	now := time.Date(2026, 3, 1, 9, 30, 0, 123_000_000, time.UTC)
	keys := b.instance(b.DB, func() time.Time { return now })
	named := func(name string) apikeys.NewKey {
		return apikeys.NewKey{Name: name, Scopes: bothScopes}
	}
	scoped := func(scopes ...apikeys.Scope) apikeys.NewKey {
		return apikeys.NewKey{Name: "w", Scopes: scopes}
	}
	expiring := func(in time.Duration) apikeys.NewKey {
		at := now.Add(in).In(time.FixedZone("", 7200))
		return apikeys.NewKey{Name: "w", Scopes: bothScopes, ExpiresAt: &at}
	}
	for field, inputs := range map[string][]apikeys.NewKey{
		"": { // they are taken
			named("Warehouse"), named(strings.Repeat("é", 200)), named(`<b>'"; drop`),
			scoped(apikeys.ForksRead), scoped(apikeys.ReportsRead, apikeys.ForksRead),
			expiring(time.Second), expiring(time.Millisecond),
		},
		"name": {
			named(""), named(" \u00a0\u3000"), named(strings.Repeat("n", 201)), named("a\nb"),
		},
		"scopes": {
			{Name: "w"}, scoped("forks:write"), scoped(apikeys.ForksRead, "*"), scoped("FORKS:READ"),
			scoped(apikeys.ForksRead, apikeys.ForksRead),
		},
		"expiresAt": {
			expiring(-365 * 24 * time.Hour), expiring(0), expiring(500 * time.Microsecond),
			{Name: "w", Scopes: bothScopes, ExpiresAt: &time.Time{}},
		},
	} {
		for _, in := range inputs {
			before := b.count(`api_keys`)
			key, token, err := keys.Create(b.ctx(), b.owner, in, request)
			if field != "" {
				require.Equal(t, field, requireCode(t, apperr.Validation, err).Field, "%+v", in)
				require.Zero(t, token)
				require.Equal(t, before, b.count(`api_keys`))
				continue
			}
			require.NoError(t, err, "%+v", in)
			require.Equal(t, before+1, b.count(`api_keys`))
			require.Equal(t, []any{in.Name, in.Scopes, token.ID}, []any{key.Name, key.Scopes, key.ID})
			require.Equal(t, apikeys.Usable, key.State(now, org.PlanPro))
		}
	}
}

// rules.md, Formats: timestamps are truncated to the millisecond. The list shows what Create
// returned, and the creation is recorded.
func TestNewKeyIsListedAndRecordedAsCreated(t *testing.T) {
	b := setup(t)
	now := time.Date(2026, 3, 1, 9, 30, 0, 999_999_999, time.UTC)
	keys := b.instance(b.DB, func() time.Time { return now })
	expires := time.Date(2199, 12, 31, 23, 59, 59, 999_999_999, time.FixedZone("", -3600))
	made, _, err := keys.Create(b.ctx(), b.owner,
		apikeys.NewKey{Name: "Entrepôt", Scopes: bothScopes, ExpiresAt: &expires}, request)
	require.NoError(t, err)
	want := apikeys.Key{
		ID:             made.ID,
		OrganisationID: ourOrganisation,
		Name:           "Entrepôt",
		Scopes:         bothScopes,
		CreatedAt:      time.Date(2026, 3, 1, 9, 30, 0, 999_000_000, time.UTC),
		CreatedBy:      b.owner.Person,
		ExpiresAt:      new(time.Date(2200, 1, 1, 0, 59, 59, 999_000_000, time.UTC)),
	}
	require.Equal(t, want, made)
	listed, err := keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	require.Equal(t, []apikeys.Key{want}, listed)

	require.Equal(t, 1, b.logged())
	e := b.entries(audit.KeyCreated)[0]
	require.Equal(t, audit.Actor{Kind: audit.Person, ID: b.owner.ID, Name: "Ada owner"}, e.Actor)
	require.Equal(t, audit.Target{Kind: "api_key", ID: made.ID}, e.Target)
	require.Empty(t, e.Reason)
	require.Equal(t, request, e.Request)
}

// rules.md, Audit log: creation and every change commit together with their entry.
func TestKeyIsNotCreatedWithoutItsAuditEntry(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	b.breakLog()
	_, created, err := b.create(b.owner)
	require.Error(t, err)
	require.Zero(t, created, "no token without its key")
	_, _, err = b.replace(key, 0)
	require.Error(t, err)
	require.Error(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	require.Error(t, b.keys.Rename(b.ctx(), b.owner, key.ID, apikeys.Label{Name: "x"}, request))
	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	require.Equal(t, []apikeys.Key{key}, listed)
	b.accept(token)
}

// An actor who loses the role while the request runs creates and revokes no key.
func TestRoleLostDuringTheRequestCreatesNoKey(t *testing.T) {
	b := setup(t)
	admin := member(ourOrganisation, "admin", true)
	for _, c := range []struct {
		lose, restore    string
		creates, revokes bool
	}{
		{
			`delete from memberships where user_id = $1`,
			`insert into memberships (org_id, user_id, role) values ('` + ourOrganisation + `', $1, 'admin')`,
			false, false,
		},
		{
			`update memberships set role = 'member' where user_id = $1`,
			`update memberships set role = 'admin' where user_id = $1`, false, false,
		},
		{
			`update users set totp_secret = null where id = $1`,
			`update users set totp_secret = 'x' where id = $1`, false, true,
		},
		{`select $1::uuid`, `select $1::uuid`, true, true},
	} {
		key, _ := b.newKey()
		before := b.logged()
		// The request waits after its first check of the role.
		tx := b.Begin(`select pg_advisory_xact_lock(hashtextextended('api_keys ' || $1, 0))`,
			ourOrganisation)
		create := func() error {
			_, _, err := b.create(admin)
			return err
		}
		err := b.whileWaiting(tx, create, func() {
			_, err := tx.Exec(b.ctx(), c.lose, admin.ID)
			require.NoError(t, err)
			require.NoError(t, tx.Commit(b.ctx()))
		})
		require.Equal(t, c.creates, err == nil, "%s: %v", c.lose, err)
		require.Equal(t, c.creates, !apperr.Is(err, apperr.AccessDenied), c.lose)
		require.Equal(t, c.creates, b.logged() > before, c.lose)
		err = b.keys.Revoke(b.ctx(), admin, key.ID, request)
		require.Equal(t, c.revokes, err == nil, "%s: %v", c.lose, err)
		b.Exec(c.restore, admin.ID)
	}
}

// The role is locked from the moment that it is read until the key commits.
func TestRoleIsLockedUntilTheKeyIsCreated(t *testing.T) {
	b := setup(t)
	orgs := org.New(b.DB, b.log, nil)
	tx := b.DB.Gorm.WithContext(b.ctx()).Begin()
	defer tx.Rollback()
	subject, err := orgs.SubjectIn(tx, ourOrganisation, b.owner.ID)
	require.NoError(t, err)
	require.Equal(t, b.owner.Subject, subject)
	for _, change := range []string{
		`update memberships set role = 'member' where user_id = $1`,
		`delete from memberships where user_id = $1`,
		`update users set totp_secret = 'x' where id = $1`,
	} {
		other := b.Begin(`set local lock_timeout = '50ms'`)
		_, err = other.Exec(b.ctx(), change, b.owner.ID)
		require.ErrorContains(t, err, "lock timeout")
		require.NoError(t, other.Rollback(b.ctx()))
	}
	subject, err = orgs.SubjectIn(tx, theirOrganisation, b.owner.ID)
	require.NoError(t, err)
	require.Empty(t, subject.Grants, "in another organisation")
}

// An organisation has at most MaxUsable usable keys, also when several requests race for the last.
func TestUsableKeysAreLimited(t *testing.T) {
	b := setup(t)
	past := time.Now().Add(-time.Hour)
	future := time.Now().Add(time.Hour)
	b.addKeys(apikeys.MaxUsable, "expired", &past, nil)
	b.addKeys(apikeys.MaxUsable, "revoked", nil, &past)
	b.addKeys(50, "expiring", &future, nil)
	b.addKeys(apikeys.MaxUsable-51, "lasting", nil, nil)
	errs := b.together(10, func(_ int, on *instance) error {
		_, _, err := on.Create(b.ctx(), b.owner, apikeys.NewKey{Name: "n", Scopes: bothScopes}, request)
		return err
	})
	requireOnce(t, errs, apikeys.ErrTooMany)
	require.Contains(t, apikeys.ErrTooMany.Message, "Revoke one")
	require.Len(t, b.entries(audit.KeyCreated), 1)

	// Another organisation has its own quota, and a revocation makes room.
	_, _, err := b.create(member(theirOrganisation, "owner", false))
	require.NoError(t, err)
	b.Exec(`update api_keys set revoked_at = now() where name = 'lasting7'`)
	b.newKey()
}
