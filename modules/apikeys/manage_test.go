package apikeys_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

// A revocation is recorded once. The list shows the first one.
func TestRevocationIsRecordedOnce(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	admin := member(ourOrganisation, "admin", false)
	errs := b.together(20, func(_ int, on *apikeys.Service) error {
		return on.Revoke(b.ctx(), admin, key.ID, request)
	})
	require.Equal(t, 20, accepted(errs), "revoking a revoked key is no error")
	first := b.instant("revoked_at", key)
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	listed, err := b.keys.List(b.ctx(), admin)
	require.NoError(t, err)
	require.Equal(t, first, listed[0].RevokedAt)

	entries := b.entries(audit.KeyRevoked)
	require.Len(t, entries, 1)
	require.Equal(t, audit.Actor{Kind: audit.Person, ID: admin.ID, Name: "Ada admin"},
		entries[0].Actor)
	require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, entries[0].Target)
	require.Equal(t, request, entries[0].Request)
}

// rules.md, Keys: stopping a leaked key never waits, not even for an import that changes its actor.
func TestRevocationDoesNotWaitForAnImport(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	tx := b.Begin(`update users set name = 'Renamed' where id = $1`, b.owner.ID)
	_, err := tx.Exec(b.ctx(), `update memberships set role = 'admin' where user_id = $1`, b.owner.ID)
	require.NoError(t, err)
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
}

// Another organisation's key can be neither read nor changed. A malformed id is an unknown id.
func TestForeignOrMalformedKeyIsNotFound(t *testing.T) {
	b := setup(t)
	theirs, token, err := b.create(member(theirOrganisation, "owner", true))
	require.NoError(t, err)
	ours, _ := b.newKey()
	read, err := b.keys.Key(b.ctx(), b.owner, ours.ID)
	require.NoError(t, err)
	require.Equal(t, ours, read)
	before := b.logged()
	for _, id := range []string{
		theirs.ID, unknownKey.ID, "", "x", token.String(), "\x00", strings.Repeat("\xff", 22),
		ours.ID + "\n",
	} {
		_, readErr := b.keys.Key(b.ctx(), b.owner, id)
		errs := []error{
			readErr, b.keys.Revoke(b.ctx(), b.owner, id, request),
			b.keys.Rename(b.ctx(), b.owner, id, apikeys.Label{Name: "n"}, request),
		}
		if id != "" { // which is a new key
			_, _, err := b.replace(apikeys.Key{ID: id}, 0)
			errs = append(errs, err)
		}
		for _, err := range errs {
			requireCode(t, apperr.NotFound, err)
		}
	}
	_, err = b.keys.Key(b.ctx(), member(ourOrganisation, "member", false), ours.ID)
	requireCode(t, apperr.AccessDenied, err)
	require.Equal(t, before, b.logged())
	require.Zero(t, b.count(`api_keys where revoked_at is not null`))
	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	require.Equal(t, []apikeys.Key{ours}, listed)
}

// The database stores only a hash of the secret, and no list has the hash.
func TestSecretIsNeverStored(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	b.accept(token)
	refused := b.use(guessed(token))
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	dump := b.dump() + fmt.Sprint(refused, b.use(token), b.useOutside(token.ID))
	hash := sha256.Sum256([]byte(token.Secret))
	require.Contains(t, dump, token.ID, "the dump has the key")
	require.Contains(t, dump, hex.EncodeToString(hash[:]), "the dump shows bytes as hex")
	for _, secret := range []string{token.Secret, guessed(token).Secret} {
		for _, form := range []string{
			secret, secret[:43], secret[:16], hex.EncodeToString([]byte(secret)),
			base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			require.NotContains(t, dump, form)
		}
	}
	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	text, err := json.Marshal(listed)
	require.NoError(t, err)
	shown := string(text) + fmt.Sprintf("%x", listed)
	require.Contains(t, shown, key.ID)
	for _, form := range []string{
		token.Secret, hex.EncodeToString(hash[:]), base64.StdEncoding.EncodeToString(hash[:]),
	} {
		require.NotContains(t, shown, form)
	}
}

// dump returns every row of every table as text.
func (b *bundle) dump() string {
	b.t.Helper()
	rows, err := b.Owner.Pool.Query(b.ctx(),
		`select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`)
	require.NoError(b.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b.t, err)
	require.Contains(b.t, tables, "audit_entries")
	var all strings.Builder
	for _, table := range tables {
		all.WriteString(testkit.One[string](b.World,
			fmt.Sprintf(`select coalesce(string_agg(t::text, E'\n'), '') from %s t`,
				pgx.Identifier{table}.Sanitize())))
	}
	return all.String()
}

// List has all usable keys, however old, and the newest of the others; newest first.
func TestKeyListIsBounded(t *testing.T) {
	b := setup(t)
	past := time.Now().Add(-time.Hour)
	b.addKeys(10, "old", nil, nil)
	b.Exec(`update api_keys set created_at = created_at - interval '1 year'`)
	b.addKeys(600, "revoked", nil, &past)
	b.addKeys(600, "expired", &past, nil)
	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	require.Len(t, listed, apikeys.MaxListed)
	usable := 0
	for i, k := range listed {
		require.False(t, i > 0 && k.CreatedAt.After(listed[i-1].CreatedAt), "newest first")
		if k.State(time.Now(), org.PlanPro) == apikeys.Usable {
			usable++
		}
	}
	require.Equal(t, 10, usable)
	require.Equal(t, "old1", listed[len(listed)-1].Name)
	require.Equal(t, time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), listed[0].CreatedAt.UTC())
}

// A key is announced in its last 30 days, or in the last quarter of its life if that is shorter.
func TestExpiresSoon(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct{ life, from time.Duration }{
		{day, 6 * time.Hour}, {30 * day, 7*day + 12*time.Hour}, {90 * day, 22*day + 12*time.Hour},
		{120 * day, 30 * day}, {365 * day, 30 * day},
	} {
		for left, want := range map[time.Duration]bool{
			c.life: false, c.from + 1: false, c.from: true, 1: true, 0: false, -1: false,
		} {
			at := now.Add(left)
			k := apikeys.Key{CreatedAt: at.Add(-c.life), ExpiresAt: &at}
			require.Equal(t, want, k.ExpiresSoon(now), "of %s %s are left", c.life, left)
		}
	}
	require.False(t, apikeys.Key{CreatedAt: now}.ExpiresSoon(now), "it never expires")
}
