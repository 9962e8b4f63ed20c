package audit_test

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

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
	theirID := b.list(t, theirOrganisation, audit.Page{Limit: 1})[0].ID
	for _, id := range []int64{theirID, -1, 1 << 60} {
		require.Empty(t, b.list(t, ourOrganisation, audit.Page{Before: id, Limit: 9}))
	}
}
