package apikeys_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
)

// breakLog takes the right to add entries from the role that serves.
func (b *bundle) breakLog() {
	b.t.Helper()
	role, err := postgres.RoleOf(b.URL)
	require.NoError(b.t, err)
	b.Exec(`revoke insert on audit_entries from ` + pgx.Identifier{role}.Sanitize())
}

// A revocation stops the key at once and is recorded; a revoked key stays in
// the list.
func TestRevocationIsRecordedOnce(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	admin := member(ourOrganisation, "admin", false)

	var wait sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wait.Go(func() {
			errs[i] = []*instance{
				b.keys, b.other,
			}[i%2].Revoke(b.ctx(), admin, key.ID, request)
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err, "revoking a revoked key is no error")
	}
	entries := b.entries(audit.KeyRevoked)
	require.Len(t, entries, 1)
	require.Equal(t, audit.Actor{Kind: audit.Person, ID: admin.ID, Name: "Ada admin"},
		entries[0].Actor)
	require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, entries[0].Target)
	require.Equal(t, request, entries[0].Request)

	listed, err := b.keys.List(b.ctx(), admin)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.NotNil(t, listed[0].RevokedAt)

	// The first revocation is the one that stays.
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	again, err := b.keys.List(b.ctx(), admin)
	require.NoError(t, err)
	require.Equal(t, listed, again)
	require.Len(t, b.entries(audit.KeyRevoked), 1)
}

// rules.md, Formats: timestamps are cut off to the millisecond, not rounded: what has just happened
// did not happen later than now. The database itself refuses it here, at the moment of writing.
func TestTimestampsAreNeverInTheFuture(t *testing.T) {
	b := setup(t)
	b.Exec(`create function not_in_the_future() returns trigger language plpgsql as $$
		begin
			if greatest(new.revoked_at, new.last_used_at) > clock_timestamp() then
				raise 'in the future';
			end if;
			return new;
		end $$`)
	b.Exec(
		`create trigger not_in_the_future before update on api_keys for each row execute function not_in_the_future()`,
	)
	for range 40 {
		key, token := b.newKey()
		_, err := b.keys.Authenticate(b.ctx(), token, request)
		require.NoError(t, err)
		require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	}
}

// rules.md, Audit log: revocation commits together with its entry.
func TestRevocationFailsWithoutItsAuditEntry(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	b.breakLog()
	require.Error(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	require.True(t,
		fixtures.One[bool](b.Database, `select revoked_at is null from api_keys where id = $1`,
			key.ID))
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
}

// Nobody manages another organisation's keys; a malformed id is an
// unknown id.
func TestForeignKeyCannotBeRevoked(t *testing.T) {
	b := setup(t)
	theirs := member(theirOrganisation, "owner", true)
	key, token, err := b.keys.Create(b.ctx(), theirs,
		apikeys.NewKey{Name: "theirs", Scopes: bothScopes}, request)
	require.NoError(t, err)
	ours, _ := b.newKey()
	before := b.logged()

	for name, id := range map[string]string{
		"another organisation's": key.ID,
		"unknown":                "0123456789ABCDEFGHIJKL",
		"empty":                  "",
		"a token":                token.String(),
		"NUL":                    "\x00",
		"invalid UTF-8":          strings.Repeat("\xff", 22),
		"a newline at the end":   ours.ID + "\n",
	} {
		requireCode(t, apperr.NotFound, b.keys.Revoke(b.ctx(), b.owner, id, request))
		require.Equal(t, before, b.logged(), name)
	}
	require.Zero(t,
		fixtures.One[int](b.Database, `select count(*) from api_keys where revoked_at is not null`))

	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, ours.ID, listed[0].ID)
}

// The list shows each key, newest first.
func TestKeysAreListedNewestFirst(t *testing.T) {
	b := setup(t)
	want := make([]string, 12)
	for i := range want {
		key, _ := b.newKey()
		b.Exec(
			`update api_keys set created_at = timestamptz '2026-03-01' + make_interval(days => $2) where id = $1`,
			key.ID, (i*7)%12,
		)
		want[11-(i*7)%12] = key.ID
	}
	listed, err := b.keys.List(b.ctx(), b.owner)
	require.NoError(t, err)
	got := make([]string, len(listed))
	for i, k := range listed {
		got[i] = k.ID
	}
	require.Equal(t, want, got)
}

// Only a hash of the secret is kept, so it cannot be shown again; the hash is in no list.
func TestSecretIsNeverStored(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	_, err := b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	_, refused := b.keys.Authenticate(b.ctx(), guessed(token), request)
	requireCode(t, apperr.AuthRequired, refused)
	require.NoError(t, b.keys.Revoke(b.ctx(), b.owner, key.ID, request))
	_, revoked := b.keys.Authenticate(b.ctx(), token, request)
	requireCode(t, apperr.AuthRequired, revoked)
	outside := b.keys.RefuseOutside(b.ctx(), token.ID, request, errOutside)
	requireCode(t, apperr.AccessDenied, outside)

	dump := b.dump() + fmt.Sprint(refused, revoked, outside)
	hash := sha256.Sum256([]byte(token.Secret))
	require.Contains(t, dump, token.ID, "the dump holds what is kept")
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

// dump is every row of every table as text.
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
		all.WriteString(
			fixtures.One[string](b.Database,
				fmt.Sprintf(`select coalesce(string_agg(t::text, E'\n'), '') from %s t`,
					pgx.Identifier{table}.Sanitize())),
		)
	}
	return all.String()
}
