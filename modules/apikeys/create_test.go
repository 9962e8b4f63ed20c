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
	"dg/platform/testkit/fixtures"
)

var bothScopes = []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}

// rules.md, Keys: owners create keys, and admins with two-step verification; any owner or admin
// lists and revokes. Creating takes a plan with the API; below it keys can still be listed and
// revoked.
func TestOnlyOwnersAndAdminsManageKeys(t *testing.T) {
	b := setup(t)
	for _, c := range []struct {
		role           string
		twoStep        bool
		creates, stops bool
	}{
		{"owner", false, true, true}, {"owner", true, true, true},
		{"admin", false, false, true}, {"admin", true, true, true},
		{"member", false, false, false}, {"member", true, false, false},
		{"", true, false, false}, {"superuser", true, false, false},
	} {
		for _, plan := range []org.Plan{
			org.PlanFree, org.PlanTeam, org.PlanPro, org.PlanEnterprise,
		} {
			b.setPlan(org.PlanPro)
			existing, _ := b.newKey()
			b.setPlan(plan)
			actor := member(ourOrganisation, c.role, c.twoStep)
			name := func(permission string) []any {
				return []any{"%s two-step=%v plan=%s: %s", c.role, c.twoStep, plan, permission}
			}
			before := fixtures.One[int](b.Database, `select count(*) from api_keys`)

			_, token, err := b.keys.Create(b.ctx(), actor,
				apikeys.NewKey{Name: "n", Scopes: bothScopes}, request)
			made := fixtures.One[int](b.Database, `select count(*) from api_keys`) - before
			if c.creates && (plan == org.PlanPro || plan == org.PlanEnterprise) {
				require.NoError(t, err, name("create")...)
				require.Equal(t, 1, made, name("create")...)
			} else {
				requireCode(t, apperr.AccessDenied, err)
				require.Zero(t, token, name("create")...)
				require.Zero(t, made, name("create")...)
			}

			listed, err := b.keys.List(b.ctx(), actor)
			if c.stops {
				require.NoError(t, err, name("list")...)
				require.Len(t, listed, before+made, name("list")...)
				require.NoError(t, b.keys.Revoke(b.ctx(), actor, existing.ID, request),
					name("revoke")...)
			} else {
				requireCode(t, apperr.AccessDenied, err)
				require.Empty(t, listed, name("list")...)
				requireCode(t, apperr.AccessDenied,
					b.keys.Revoke(b.ctx(), actor, existing.ID, request))
			}
			revoked := fixtures.One[bool](b.Database,
				`select revoked_at is not null from api_keys where id = $1`, existing.ID)
			require.Equal(t, c.stops, revoked, name("revoke")...)
		}
	}
}

// Neither an actor without an organisation nor a key manages keys.
func TestActorWithoutOrganisationManagesNoKeys(t *testing.T) {
	b := setup(t)
	nobody := member("", "owner", true)
	_, _, err := b.keys.Create(b.ctx(), nobody, apikeys.NewKey{Name: "n", Scopes: bothScopes},
		request)
	requireCode(t, apperr.AccessDenied, err)
	_, err = b.keys.List(b.ctx(), nobody)
	requireCode(t, apperr.AccessDenied, err)
	requireCode(t, apperr.AccessDenied, b.keys.Revoke(b.ctx(), nobody, "x", request))

	_, token := b.newKey()
	caller, err := b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	_, _, err = b.keys.Create(b.ctx(), apikeys.Actor{Subject: caller.Subject()},
		apikeys.NewKey{Name: "n", Scopes: bothScopes}, request)
	requireCode(t, apperr.AccessDenied, err)
}

// Name and scopes are required, an expiration date is optional; it must
// lie in the future.
func TestNewKeyIsValidated(t *testing.T) {
	b := setup(t)
	now := time.Date(2026, 3, 1, 9, 30, 0, 123_000_000, time.UTC)
	keys := b.instance(b.DB, func() time.Time { return now })
	in := func(d time.Duration) *time.Time {
		at := now.Add(d)
		return &at
	}
	forks := []apikeys.Scope{apikeys.ForksRead}

	for name, c := range map[string]struct {
		in    apikeys.NewKey
		field string // "": it is taken
	}{
		"one scope": {apikeys.NewKey{Name: "Warehouse", Scopes: forks}, ""},
		"both scopes": {
			apikeys.NewKey{Name: "Warehouse", Scopes: bothScopes}, "",
		},
		"both, the other way round": {
			apikeys.NewKey{
				Name:   "w",
				Scopes: []apikeys.Scope{apikeys.ReportsRead, apikeys.ForksRead},
			}, "",
		},
		"a name of 200 characters": {
			apikeys.NewKey{Name: strings.Repeat("é", 200), Scopes: forks}, "",
		},
		"a name with markup": {apikeys.NewKey{Name: `<b>'"; drop`, Scopes: forks}, ""},
		"an expiry in a second": {
			apikeys.NewKey{Name: "w", Scopes: forks, ExpiresAt: in(time.Second)}, "",
		},
		"an expiry in another zone": {
			apikeys.NewKey{
				Name:      "w",
				Scopes:    forks,
				ExpiresAt: new(in(time.Hour).In(time.FixedZone("", 7200))),
			}, "",
		},
		"no name": {apikeys.NewKey{Scopes: forks}, "name"},
		"a blank name": {
			apikeys.NewKey{Name: " \u00a0\u3000", Scopes: forks}, "name",
		},
		"an invisible name": {
			apikeys.NewKey{Name: "\u200b\u2060", Scopes: forks}, "name",
		},
		"a name of 201 characters": {
			apikeys.NewKey{Name: strings.Repeat("n", 201), Scopes: forks}, "name",
		},
		"a newline in the name": {apikeys.NewKey{Name: "a\nb", Scopes: forks}, "name"},
		"NUL in the name":       {apikeys.NewKey{Name: "a\x00", Scopes: forks}, "name"},
		"a C1 control in the name": {
			apikeys.NewKey{Name: "a\u0085b", Scopes: forks}, "name",
		},
		"invalid UTF-8 in the name": {apikeys.NewKey{Name: "a\xff", Scopes: forks}, "name"},
		"nil scopes":                {apikeys.NewKey{Name: "w"}, "scopes"},
		"no scopes": {
			apikeys.NewKey{Name: "w", Scopes: []apikeys.Scope{}}, "scopes",
		},
		"an unknown scope": {
			apikeys.NewKey{Name: "w", Scopes: []apikeys.Scope{"forks:write"}}, "scopes",
		},
		"an unknown scope among known": {
			apikeys.NewKey{Name: "w", Scopes: []apikeys.Scope{apikeys.ForksRead, "*"}}, "scopes",
		},
		"an empty scope": {
			apikeys.NewKey{Name: "w", Scopes: []apikeys.Scope{""}}, "scopes",
		},
		"a scope in upper case": {
			apikeys.NewKey{Name: "w", Scopes: []apikeys.Scope{"FORKS:READ"}}, "scopes",
		},
		"two scopes in one": {
			apikeys.NewKey{Name: "w", Scopes: []apikeys.Scope{"forks:read reports:read"}}, "scopes",
		},
		"a scope twice": {
			apikeys.NewKey{
				Name:   "w",
				Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ForksRead},
			}, "scopes",
		},
		"an expiry a year ago": {
			apikeys.NewKey{
				Name:      "w",
				Scopes:    forks,
				ExpiresAt: in(-365 * 24 * time.Hour),
			}, "expiresAt",
		},
		"an expiry now": {
			apikeys.NewKey{Name: "w", Scopes: forks, ExpiresAt: in(0)}, "expiresAt",
		},
		"an expiry that is cut off to go": {
			apikeys.NewKey{
				Name:      "w",
				Scopes:    forks,
				ExpiresAt: in(500 * time.Microsecond),
			}, "expiresAt",
		},
		"the zero instant": {
			apikeys.NewKey{Name: "w", Scopes: forks, ExpiresAt: &time.Time{}}, "expiresAt",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := fixtures.One[int](b.Database, `select count(*) from api_keys`)
			key, token, err := keys.Create(b.ctx(), b.owner, c.in, request)
			made := fixtures.One[int](b.Database, `select count(*) from api_keys`) - before
			if c.field != "" {
				require.Equal(t, c.field, requireCode(t, apperr.Validation, err).Field)
				require.Zero(t, token)
				require.Zero(t, made)
				return
			}
			require.NoError(t, err)
			require.Equal(t, 1, made)
			require.Equal(t, c.in.Name, key.Name)
			require.Equal(t, c.in.Scopes, key.Scopes)
			require.Equal(t, token.ID, key.ID)
			require.Equal(t, apikeys.Usable, key.State(now, org.PlanPro))
		})
	}
}

// rules.md, Formats: timestamps are kept to the millisecond, cut off and not rounded. What
// Create returns is what the list shows.
func TestNewKeyIsListedAsCreated(t *testing.T) {
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
}

// The creation of a key is recorded.
func TestCreationIsRecorded(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	entries := b.entries(audit.KeyCreated)
	require.Len(t, entries, 1)
	require.Equal(t, 1, b.logged())
	e := entries[0]
	require.Equal(t, audit.Actor{Kind: audit.Person, ID: b.owner.ID, Name: "Ada owner"}, e.Actor)
	require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, e.Target)
	require.Empty(t, e.Reason)
	require.Equal(t, request, e.Request)
}

// rules.md, Audit log: creation commits together with its entry.
func TestKeyIsNotCreatedWithoutItsAuditEntry(t *testing.T) {
	b := setup(t)
	b.breakLog()
	_, token, err := b.keys.Create(b.ctx(), b.owner, apikeys.NewKey{Name: "n", Scopes: bothScopes},
		request)
	require.Error(t, err)
	require.Zero(t, token, "a token that works for nobody is shown to nobody")
	require.Zero(t, fixtures.One[int](b.Database, `select count(*) from api_keys`))
	require.Zero(t, fixtures.One[int](b.Database, `select count(*) from api_key_windows`))
}

// Keys are created by owners and by admins with two-step verification. Who loses that while
// the request is on its way, after it was let in, makes no key any more, and revokes none.
func TestRoleLostDuringTheRequestCreatesNoKey(t *testing.T) {
	b := setup(t)
	admin := member(ourOrganisation, "admin", true)
	for name, c := range map[string]struct {
		lose, restore string
		revokes       bool
	}{
		"no member any more": {`delete from memberships where user_id = $1`,
			`insert into memberships (org_id, user_id, role)
			select org_id, $1, 'admin' from memberships where role = 'owner' and org_id = '` +
				ourOrganisation + `' limit 1`, false},
		"a member only": {
			`update memberships set role = 'member' where user_id = $1`,
			`update memberships set role = 'admin' where user_id = $1`, false,
		},
		"two-step turned off": {
			`update users set totp_secret = null where id = $1`,
			`update users set totp_secret = 'x' where id = $1`, true,
		},
		"nothing, the control": {`select $1::uuid`, `select $1::uuid`, true},
	} {
		key, _ := b.newKey()
		before := b.logged()
		// The request waits where it has been let in and has not written yet.
		tx, err := b.Owner.Pool.Begin(b.ctx())
		require.NoError(t, err)
		_, err = tx.Exec(b.ctx(),
			`select pg_advisory_xact_lock(hashtextextended('api_keys ' || $1, 0))`, ourOrganisation)
		require.NoError(t, err)
		created := make(chan error, 1)
		go func() {
			_, _, err := b.keys.Create(b.ctx(), admin,
				apikeys.NewKey{Name: "n", Scopes: bothScopes},
				request)
			created <- err
		}()
		require.Eventually(t, func() bool {
			return fixtures.One[bool](b.Database,
				`select exists (select from pg_locks where locktype = 'advisory' and not granted
					and database = (select oid from pg_database where datname = current_database()))`)
		}, 10*time.Second, time.Millisecond)
		_, err = tx.Exec(b.ctx(), c.lose, admin.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(b.ctx()))
		err = <-created
		if strings.HasPrefix(name, "nothing") {
			require.NoError(t, err)
			continue
		}
		requireCode(t, apperr.AccessDenied, err)
		require.Equal(t, before, b.logged(), "%s: nothing is made, nothing is recorded", name)
		err = b.keys.Revoke(b.ctx(), admin, key.ID, request)
		require.Equal(t, c.revokes, err == nil, "%s: %v", name, err)
		b.Exec(c.restore, admin.ID)
	}
}

// A change of the role waits from the moment at which it is read until the key is committed.
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
		other, err := b.Owner.Pool.Begin(b.ctx())
		require.NoError(t, err)
		_, err = other.Exec(b.ctx(), `set local lock_timeout = '50ms'`)
		require.NoError(t, err)
		_, err = other.Exec(b.ctx(), change, b.owner.ID)
		require.ErrorContains(t, err, "lock timeout")
		require.NoError(t, other.Rollback(b.ctx()))
	}
	subject, err = orgs.SubjectIn(tx, theirOrganisation, b.owner.ID)
	require.NoError(t, err)
	require.Empty(t, subject.Grants, "in another organisation")
}

// rules.md, Keys: stopping a leaked key never waits, not even for an import that has changed the
// person who does.
func TestRevocationDoesNotWaitForAnImport(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	tx, err := b.Owner.Pool.Begin(b.ctx())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(b.ctx()) }()
	for _, change := range []string{
		`update users set name = 'Renamed' where id = $1`,
		`update memberships set role = 'admin' where user_id = $1`,
	} {
		_, err = tx.Exec(b.ctx(), change, b.owner.ID)
		require.NoError(t, err)
	}
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
}
