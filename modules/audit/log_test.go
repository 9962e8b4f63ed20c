package audit_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/modules/audit"
	"dg/platform/testkit"
)

// Every field of an appended entry is listed; its instant is cut to the millisecond.
func TestEntryIsListedAsAppended(t *testing.T) {
	b := setup(t)
	entries := []audit.Entry{{ // empty fields; the database sets instant and id
		ID:             77,
		At:             time.Unix(0, 0),
		OrganisationID: ours,
		Actor:          audit.Actor{Kind: audit.Person},
		Action:         audit.KeyCreated,
		Details:        map[string]any{},
	}}
	for _, k := range audit.Actions {
		e := entry(ours)
		e.Action = k.Action
		entries = append(entries, e)
	}
	for _, e := range entries {
		before := b.clock(t)
		require.NoError(t, b.log.Append(t.Context(), e))
		after := b.clock(t)
		listed := b.list(t, ours, audit.Page{Limit: 1})[0]
		require.NotEqual(t, e.ID, listed.ID)
		require.WithinRange(t, listed.At, before, after)
		require.Equal(t, listed.At, listed.At.UTC().Truncate(time.Millisecond))
		e.ID = listed.ID
		e.At = listed.At
		require.Equal(t, e, listed)
	}
}

// rules.md, Audit log: any text of a client is recorded, bounded by Sanitise.
func TestInvalidTextFromClientsIsRecorded(t *testing.T) {
	b := setup(t)
	odd := strings.Repeat("é\x00\xff", 1000)
	e := entry(ours)
	e.Target.ID = odd
	e.Request = audit.Request{Method: odd, Path: odd, UserAgent: odd}
	require.NoError(t, b.log.Append(t.Context(), e))
	listed := b.list(t, ours, audit.Page{Limit: 1})[0]
	require.Equal(t, audit.Sanitise(odd, 1024), listed.Target.ID)
	require.Equal(t, audit.Request{
		Method:    audit.Sanitise(odd, 16),
		Path:      audit.Sanitise(odd, 1024),
		UserAgent: audit.Sanitise(odd, 256),
	}, listed.Request)
}

// The database ignores the instant and the id that the serving role sends. The owner can set them:
// a log can be restored.
func TestServingRoleSetsNeitherInstantNorID(t *testing.T) {
	b := setup(t)
	const insert = `insert into audit_entries (id, org_id, at, actor_kind, actor_id, actor_name,
		action, target_kind, target_id, method, path, address, user_agent, request_id)
		values (77, $1, '2020-01-01', 'person', 'p', 'P', 'api_key.created', '', '', '', '', '', '',
		  '') returning id, at`
	var id int64
	var at time.Time
	before := b.clock(t)
	require.NoError(t, b.DB.Pool.QueryRow(t.Context(), insert, ours).Scan(&id, &at))
	require.NotEqual(t, int64(77), id)
	require.WithinRange(t, at, before, b.clock(t))

	require.NoError(t, b.Owner.Pool.QueryRow(t.Context(), insert, ours).Scan(&id, &at))
	require.Equal(t, int64(77), id)
	require.Equal(t, 2020, at.Year())
}

// Ids do not reveal the size of other logs.
func TestIDsAreRandom(t *testing.T) {
	b := setup(t)
	for range 40 {
		require.NoError(t, b.log.Append(t.Context(), entry(ours)))
		require.NoError(t, b.log.Append(t.Context(), entry(theirs)))
	}
	listed := b.list(t, ours, audit.Page{Limit: 100})
	require.Len(t, listed, 40)
	const random = 1<<53 - 1 // the bits after the order within a millisecond
	for i := range listed[1:] {
		gap := listed[i].ID&random - listed[i+1].ID&random
		require.Greater(t, max(gap, -gap), int64(1_000_000), "%d, %d", listed[i].ID, listed[i+1].ID)
	}
}

// rules.md, Audit log: the role of dg serve may add and read entries; every other right would change
// them, or let a trigger do so.
func TestServingRoleHasTwoRightsOnEntries(t *testing.T) {
	w := testkit.New(t)
	require.Equal(t, []string{"select", "insert"}, testkit.One[[]string](w, `select array(select p
		from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p
		where has_table_privilege('dg_app', 'audit_entries', p))`))
}

// rules.md, Audit log: client text becomes valid UTF-8 without NUL, and is truncated at the last
// character that fits.
func TestSanitiseKeepsWhatFits(t *testing.T) {
	t.Parallel()
	part := rapid.OneOf(rapid.SampledFrom([]string{
		"\x00", "\xff", "\xed\xa0\x80", "\xc0\xaf", "\xe2\x82", "é", "€", "😀", "\r\n<b>",
	}), rapid.StringN(0, 3, -1))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		limit := rapid.IntRange(0, 30).Draw(t, "limit")
		got := audit.Sanitise(text, limit)
		require.LessOrEqual(t, len(got), limit)
		require.True(t, utf8.ValidString(got))
		require.NotContains(t, got, "\x00")
		require.Equal(t, got, audit.Sanitise(got, limit), "it is not changed again")
		whole := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		require.True(t, strings.HasPrefix(whole, got), "%q", got)
		_, next := utf8.DecodeRuneInString(whole[len(got):])
		require.True(t, got == whole || len(got)+next > limit, "%q is cut too much", got)
	})
}
