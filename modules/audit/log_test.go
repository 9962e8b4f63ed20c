package audit_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

const (
	ourOrganisation   = "00000000-0000-4000-8000-00000000000a"
	theirOrganisation = "00000000-0000-4000-8000-00000000000b"
)

type fixture struct {
	*testkit.World
	log *audit.Log
}

func setup(t *testing.T) fixture {
	t.Parallel()
	world := testkit.New(t)
	for _, id := range []string{ourOrganisation, theirOrganisation} {
		world.AddOrganisation(testkit.Organisation{ID: id})
	}
	return fixture{World: world, log: audit.New(world.DB)}
}

func (b fixture) list(t *testing.T, organisation string, p audit.Page) []audit.Entry {
	return append([]audit.Entry{}, tb.Must(b.log.List(t.Context(), organisation, p))(t)...)
}

func (b fixture) readClock(t *testing.T) time.Time {
	return testkit.Query[time.Time](b.World, `select date_trunc('milliseconds', clock_timestamp())`)
}

func newEntry(organisation string) audit.Entry {
	return audit.Entry{
		OrganisationID: organisation,
		Actor:          audit.Actor{Kind: audit.Key, ID: "k-1", Name: "Entrepôt <b>'\";--"},
		Action:         audit.KeyRefused,
		Target:         audit.Target{Kind: "fork", ID: "f-1"},
		Reason:         audit.OtherOrganisation,
		Details:        map[string]any{"rows": 12.0, "nominative": true, "odd": "\u2028😀"},
		Request: audit.Request{Method: "GET", Path: "/api/v1/forks/f-1", Address: "2001:db8::7", UserAgent: "bi/1.0",
			ID: "request-0001"},
	}
}

// An entry commits with the caller's transaction: to each of the named logs, and to no other log.
func TestEntryCommitsToTheNamedLogs(t *testing.T) {
	b := setup(t)
	otherOrganisation := b.AddOrganisation(testkit.Organisation{}).ID
	e := newEntry("")
	errFailed := errors.New("failed")
	for _, want := range []error{errFailed, nil} {
		err := b.DB.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
			require.NoError(t, b.log.AppendIn(tx, newEntry(ourOrganisation)))
			require.NoError(t, b.log.AppendToAll(tx, []string{ourOrganisation, theirOrganisation}, e))
			require.NoError(t, b.log.AppendToAll(tx, nil, e), "a person without organisations")
			return want
		})
		require.Equal(t, want, err)
		ids := map[int64]bool{}
		for _, e.OrganisationID = range []string{ourOrganisation, theirOrganisation, otherOrganisation} {
			for _, listed := range b.list(t, e.OrganisationID, audit.Page{Limit: 10}) {
				e.ID, e.At = listed.ID, listed.At
				require.Equal(t, e, listed)
				require.NotEqual(t, otherOrganisation, e.OrganisationID)
				ids[e.ID] = true
			}
		}
		require.Len(t, ids, map[bool]int{true: 3}[want == nil], "each has another id")
	}
}

// An entry without organisation or actor kind, or with an unknown action, is not appended. OnWriteFailure is called.
func TestInvalidEntryIsRefused(t *testing.T) {
	b := setup(t)
	tx := b.DB.Gorm.WithContext(t.Context())
	unknownAction := newEntry(ourOrganisation)
	unknownAction.Action = "api_key.seen"
	noActorKind := newEntry(ourOrganisation)
	noActorKind.Actor.Kind = ""
	failures := 0
	b.log.OnWriteFailure = func() { failures++ }
	for name, e := range map[string]audit.Entry{
		"no organisation":         newEntry(""),
		"an unknown organisation": newEntry("00000000-0000-4000-8000-00000000000c"),
		"no kind of actor":        noActorKind,
		"an unknown action":       unknownAction,
	} {
		for _, err := range []error{
			b.log.Append(t.Context(), e),
			b.log.AppendToAll(tx, []string{ourOrganisation, e.OrganisationID}, e),
		} {
			require.Error(t, err, name)
			require.Equal(t, e.Action == "api_key.seen", apperr.Is(err, apperr.Internal), "%s: %v", name, err)
		}
	}
	require.Error(t, b.log.CountRefusal(t.Context(), newEntry("no id")))
	require.Equal(t, 9, failures)
	require.Zero(t, b.CountRows(`audit_entries`))
}

// Refusals above a key's limit are counted: each minute and reason has one entry, in the organisation's log alone.
func TestCountedRefusalsAreOneEntryAMinute(t *testing.T) {
	b := setup(t)
	key := audit.Actor{Kind: audit.Key, ID: "k-1", Name: "Warehouse"}
	count := func(organisation string, reason audit.Reason) {
		require.NoError(t, b.log.CountRefusal(t.Context(), audit.Entry{
			OrganisationID: organisation, Actor: key, Action: audit.KeyRefused, Reason: reason,
		}))
	}
	began := b.readClock(t).Truncate(time.Minute)
	for range 3 {
		count(ourOrganisation, audit.WrongSecret)
		count(theirOrganisation, audit.WrongSecret)
	}
	count(ourOrganisation, audit.OutsideAPI)
	totals := map[audit.Reason]float64{}
	for _, e := range b.list(t, ourOrganisation, audit.Page{Limit: 10}) {
		require.Zero(t, e.At.UnixMilli()%60_000)
		require.False(t, e.At.Before(began))
		totals[e.Reason] += e.Details[audit.RefusalsDetail].(float64)
		require.Equal(t, key, e.Actor)
		require.Equal(t, audit.KeyRefused, e.Action)
	}
	require.Equal(t, map[audit.Reason]float64{audit.WrongSecret: 3, audit.OutsideAPI: 1}, totals)

	b.Exec(`update audit_refusals set at = at - interval '1 h'`)
	count(ourOrganisation, audit.OutsideAPI)
	newest := b.list(t, ourOrganisation, audit.Page{Limit: 1})[0]
	require.Equal(t, 1.0, newest.Details[audit.RefusalsDetail], "another minute")
}

// Every field of an appended entry is listed. The instant is truncated to the millisecond. Client text becomes valid
// UTF-8 without NUL, cut after the last whole character within the field's limit.
func TestEntryIsListedAsAppended(t *testing.T) {
	b := setup(t)
	entries := []audit.Entry{{ // empty fields; the database sets instant and id
		ID:             77,
		At:             time.Unix(0, 0),
		OrganisationID: ourOrganisation,
		Actor:          audit.Actor{Kind: audit.Person},
		Action:         audit.KeyCreated,
		Details:        map[string]any{},
	}}
	for _, display := range audit.Actions {
		e := newEntry(ourOrganisation)
		e.Action = display.Action
		entries = append(entries, e)
	}
	for _, e := range entries {
		before := b.readClock(t)
		require.NoError(t, b.log.Append(t.Context(), e))
		after := b.readClock(t)
		listed := b.list(t, ourOrganisation, audit.Page{Limit: 1})[0]
		require.NotEqual(t, e.ID, listed.ID)
		require.WithinRange(t, listed.At, before, after)
		require.Equal(t, listed.At, listed.At.UTC().Truncate(time.Millisecond))
		e.ID, e.At = listed.ID, listed.At
		require.Equal(t, e, listed)
	}

	invalid := "a" + strings.Repeat("é\x00\xff", 1000)
	e := newEntry(ourOrganisation)
	e.Target.ID = invalid[1:]
	e.Request = audit.Request{Method: invalid, Path: invalid, Address: invalid, UserAgent: invalid, ID: invalid}
	require.NoError(t, b.log.Append(t.Context(), e))
	listed := b.list(t, ourOrganisation, audit.Page{Limit: 1})[0]
	cutTo := func(limit int) string { return "a" + strings.Repeat("é\uFFFD\uFFFD", limit/8-1) + "é\uFFFD" }
	require.Equal(t, strings.Repeat("é\uFFFD\uFFFD", 1024/8), listed.Target.ID, "it fits exactly")
	require.Equal(t, audit.Request{Method: cutTo(16), Path: cutTo(1024), Address: cutTo(256), UserAgent: cutTo(256),
		ID: cutTo(256)}, listed.Request)
}

// rules.md, Audit log: the serving role may only add and read entries. It sets neither instant nor id. The owner of the
// tables can, to restore a log.
func TestServingRoleMayOnlyAddAndReadEntries(t *testing.T) {
	b := setup(t)
	require.Equal(t, []string{"select", "insert"}, testkit.Query[[]string](b.World, `select array(select p
		from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p
		where has_table_privilege('dg_app', 'audit_entries', p))`))
	const insert = `insert into audit_entries (id, org_id, at, actor_kind, actor_id, actor_name,
		action, target_kind, target_id, method, path, address, user_agent, request_id)
		values (77, $1, '2020-01-01', 'person', 'p', 'P', 'api_key.created', '', '', '', '', '', '',
		  '') returning id, at`
	var id int64
	var instant time.Time
	before := b.readClock(t)
	require.NoError(t, b.DB.Pool.QueryRow(t.Context(), insert, ourOrganisation).Scan(&id, &instant))
	require.NotEqual(t, int64(77), id)
	require.WithinRange(t, instant, before, b.readClock(t))

	require.NoError(t, b.Owner.Pool.QueryRow(t.Context(), insert, ourOrganisation).Scan(&id, &instant))
	require.Equal(t, int64(77), id)
	require.Equal(t, 2020, instant.Year())
}

// Ids are random, so that they do not reveal the size of other logs.
func TestIDsAreRandom(t *testing.T) {
	b := setup(t)
	for range 40 {
		require.NoError(t, b.log.Append(t.Context(), newEntry(ourOrganisation)))
		require.NoError(t, b.log.Append(t.Context(), newEntry(theirOrganisation)))
	}
	listed := b.list(t, ourOrganisation, audit.Page{Limit: 100})
	require.Len(t, listed, 40)
	const randomMask = 1<<53 - 1 // mask of the random bits; the bits above are microseconds
	for i := range listed[1:] {
		gap := listed[i].ID&randomMask - listed[i+1].ID&randomMask
		require.Greater(t, max(gap, -gap), int64(1_000_000), "%d, %d", listed[i].ID, listed[i+1].ID)
	}
}

var pruneBefore = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// storeOldEntries stores n entries and a count of refusals before pruneBefore, and one of each at pruneBefore.
func (b fixture) storeOldEntries(t *testing.T, organisation string, n int) {
	b.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
		target_kind, target_id, reason, details, method, path, address, user_agent, request_id)
		select $1, $2::timestamptz - ($3 - n) * interval '1 h', 'key', 'k', 'Entrepôt',
		  'api_key.refused', 'fork', 'f', 'wrong_secret', '{"rows": 12}', 'GET', '/api/v1/forks',
		  '192.0.2.1', 'bi/1.0', 'request-' || n from generate_series(0, $3::int) n`, organisation, pruneBefore, n)
	b.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		select $1, 'k', 'Entrepôt', 'expired', $2::timestamptz - n * interval '1 min', 40
		  from generate_series(0, 1) n`, organisation, pruneBefore)
}

// Prune removes only what ExportBefore has written, and records it. Only the owner of the tables can prune.
func TestPruneRemovesExportedEntriesOnly(t *testing.T) {
	b := setup(t)
	b.storeOldEntries(t, ourOrganisation, 2_500) // more than two batches
	b.storeOldEntries(t, theirOrganisation, 3)
	ownerLog := audit.New(b.Owner)
	var file bytes.Buffer
	exported := tb.Must(ownerLog.ExportBefore(t.Context(), ourOrganisation, pruneBefore, &file))(t)
	require.EqualValues(t, 2_501, exported)
	require.Equal(t, 2_501, strings.Count(file.String(), "\n"))
	refusalLine, otherLines, _ := strings.Cut(file.String(), "\n")
	require.Contains(t, refusalLine, `"at":"2025-12-31T23:59:00.000Z","actorKind":"key","actorId":"k",`)
	require.Contains(t, refusalLine, `"details":{"refusals":40},`)
	entryLine, _, _ := strings.Cut(otherLines, "\n")
	require.Regexp(t, `^\{"entryId":"E\d+","organisationId":"`+ourOrganisation+`","at":"2025-12-31T23:00:00.000Z",`+
		`"actorKind":"key","actorId":"k","actorName":"Entrepôt","action":"api_key.refused",`+
		`"reason":"wrong_secret","targetKind":"fork","targetId":"f","details":\{"rows":12\},`+
		`"method":"GET","path":"/api/v1/forks","address":"192.0.2.1","userAgent":"bi/1.0",`+
		`"requestId":"request-2499"\}$`, entryLine)

	prune := func(log *audit.Log, expected int64) error {
		return log.Prune(t.Context(), ourOrganisation, pruneBefore, expected, audit.Request{Path: "dg audit prune"})
	}
	require.ErrorContains(t, prune(ownerLog, exported-1), "2500 entries were exported and 2501 are there")
	require.ErrorContains(t, prune(b.log, exported), "permission denied")
	require.Len(t, b.list(t, ourOrganisation, audit.Page{Limit: 3_000}), 2_503)
	require.NoError(t, prune(ownerLog, exported))
	remaining := b.list(t, ourOrganisation, audit.Page{Limit: 10})
	require.Len(t, remaining, 3)
	require.Equal(t, audit.LogPruned, remaining[0].Action)
	require.Equal(t, audit.OperatorActor, remaining[0].Actor)
	require.Equal(t, map[string]any{"before": "2026-01-01", "entries": 2_501.0}, remaining[0].Details)
	require.Equal(t, pruneBefore, remaining[1].At.UTC())
	require.Equal(t, 4, b.CountRows(`audit_entries where org_id = $1`, theirOrganisation))
}

// matches reports whether the filter selects the entry. It is the reference model of the queries.
func matches(f audit.Filter, e audit.Entry) bool {
	aboutKey := e.Actor.Kind == audit.Key && e.Actor.ID == f.KeyID ||
		e.Target.Kind == "api_key" && e.Target.ID == f.KeyID
	return (f.PersonID == "" || e.Actor.Kind == audit.Person && e.Actor.ID == f.PersonID) &&
		(f.Action == "" || e.Action == f.Action) &&
		(f.KeyID == "" || aboutKey) &&
		(f.From.IsZero() || !e.At.Before(f.From)) && (f.To.IsZero() || e.At.Before(f.To))
}

func matchingEntries(f audit.Filter, entries []audit.Entry) []audit.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e audit.Entry) bool { return !matches(f, e) })
}

var random = rand.New(rand.NewPCG(3, 5))

func pick[T any](options ...T) T { return options[random.IntN(len(options))] }

var (
	day           = 24 * time.Hour
	firstDay      = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	randomActions = []audit.Action{
		audit.KeyCreated, audit.ExportStarted, audit.PasswordChanged,
		audit.KeyRefused, audit.KeyRefused, audit.KeyRefused,
	}
)

// storeRandomEntries stores entries with many equal instants in two logs. It returns ourOrganisation's, newest first.
func (b fixture) storeRandomEntries(t *testing.T) []audit.Entry {
	for range 1500 {
		e := audit.Entry{
			OrganisationID: pick(ourOrganisation, ourOrganisation, ourOrganisation, theirOrganisation),
			Actor: pick(
				audit.Actor{Kind: audit.Person, ID: pick("p1", "p2", "k1"), Name: "P"},
				audit.Actor{Kind: audit.Key, ID: pick("k1", "k2", "p1"), Name: "K"}),
			Action: pick(randomActions...),
			Target: pick(audit.Target{}, audit.Target{Kind: "api_key", ID: pick("k1", "k2", "k3")},
				audit.Target{Kind: "fork", ID: pick("k1", "f1")}),
		}
		require.NoError(t, b.log.Append(t.Context(), e))
	}
	b.Exec(`update audit_entries set at = $1::timestamptz + floor(random() * 6 * 24) * interval '1 h'`, firstDay)
	for range 200 { // each in a random minute of six hours
		b.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
			values ($1, $2, 'K', 'expired', $3, 7) on conflict do nothing`,
			pick(ourOrganisation, ourOrganisation, theirOrganisation),
			pick("k1", "k2"), firstDay.Add(time.Duration(random.IntN(360))*time.Minute))
	}
	entries := b.list(t, ourOrganisation, audit.Page{Limit: 2000})
	require.Len(t, entries, b.CountRows(`audit_entries where org_id = $1`, ourOrganisation)+
		b.CountRows(`audit_refusals where org_id = $1`, ourOrganisation))
	return entries
}

func randomFilters(n int) []audit.Filter {
	filters := make([]audit.Filter, n)
	for i := range filters {
		filters[i] = audit.Filter{
			PersonID: pick("", "", "p1", "p2", "nobody"),
			Action:   pick(append(randomActions, "", "", "", "", "", "")...),
			KeyID:    pick("", "", "k1", "k2", "k3", "p1", "none"),
			From:     pick(time.Time{}, time.Time{}, firstDay.Add(day*time.Duration(random.IntN(7)))),
			To:       pick(time.Time{}, time.Time{}, firstDay.Add(day*time.Duration(random.IntN(7)))),
		}
	}
	return filters
}

// List returns the entries for which matches is true. A page is empty if its cursor is not in the log.
func TestFiltersSelectTheirEntries(t *testing.T) {
	b := setup(t)
	entries := b.storeRandomEntries(t)
	require.True(t, slices.IsSortedFunc(entries, func(a, b audit.Entry) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	}), "newest first")
	selected := 0
	filters := randomFilters(600)
	for field := range reflect.TypeFor[audit.Filter]().Fields() {
		require.True(t, slices.ContainsFunc(filters, func(f audit.Filter) bool {
			return !reflect.ValueOf(f).FieldByIndex(field.Index).IsZero()
		}), "randomFilters sets no %s; matches needs it too", field.Name)
	}
	for _, f := range filters {
		want := matchingEntries(f, entries)
		selected += len(want)
		require.Equal(t, want, b.list(t, ourOrganisation, audit.Page{Filter: f, Limit: 2000}), "%+v", f)

		i := random.IntN(len(entries)) // the filter may or may not select the cursor's entry
		older := matchingEntries(f, entries[i+1:])
		limit := 1 + random.IntN(1+len(older))
		page := b.list(t, ourOrganisation, audit.Page{Filter: f, Before: entries[i].ID, Limit: limit})
		require.Equal(t, older[:min(limit, len(older))], page, "older: %+v", f)
	}
	require.Greater(t, selected, 10_000, "the filters select entries")
	tx := b.Begin(`lock table audit_entries`) // every search takes until its deadline
	for f, want := range map[audit.Filter]error{{KeyID: "k1"}: audit.ErrLongSearch, {}: context.DeadlineExceeded} {
		late, cancel := context.WithTimeout(t.Context(), 1100*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, tb.ErrorOf(b.log.List(late, ourOrganisation, audit.Page{Filter: f})), want)
		err := tb.ErrorOf(b.log.List(late, ourOrganisation, audit.Page{Filter: f}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	require.NoError(t, tx.Rollback(t.Context()))
	theirID := b.list(t, theirOrganisation, audit.Page{Limit: 1})[0].ID
	for _, id := range []int64{theirID, -1, 1 << 60} {
		require.Empty(t, b.list(t, ourOrganisation, audit.Page{Before: id, Limit: 9}))
	}
}
