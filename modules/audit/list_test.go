package audit_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// has is what a filter means, said once more and plainly.
func has(f audit.Filter, e audit.Entry) bool {
	aboutKey := e.Actor.Kind == audit.Key && e.Actor.ID == f.KeyID ||
		e.Actor.Kind == audit.Person && e.Target.Kind == "api_key" && e.Target.ID == f.KeyID
	return (f.Kind == "" || e.Actor.Kind == f.Kind) &&
		(f.PersonID == "" || e.Actor.Kind == audit.Person && e.Actor.ID == f.PersonID) &&
		(f.Action == "" || e.Action == f.Action) &&
		(f.KeyID == "" || aboutKey) &&
		(f.Reason == "" || e.Reason == f.Reason) &&
		(f.From.IsZero() || !e.At.Before(f.From)) && (f.To.IsZero() || e.At.Before(f.To))
}

// filtered are the entries that the filter asks for, newest first.
func filtered(f audit.Filter, entries []audit.Entry) []int64 {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b audit.Entry) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) })
	ids := []int64{}
	for _, e := range entries {
		if has(f, e) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func numbers(entries []audit.Entry) []int64 {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids
}

// random is of one test.
var random = rand.New(rand.NewPCG(3, 5))

func pick[T any](from ...T) T { return from[random.IntN(len(from))] }

// Filters by actor, action, key, reason and days, each and together, over random entries, many of
// one instant: what is listed is what a plain reading of the whole log says, page by page, down and up again.
func TestFiltersSelectWhatTheySay(t *testing.T) {
	b := setup(t)
	day := 24 * time.Hour
	actions := []audit.Action{audit.KeyCreated, audit.ExportStarted, audit.SignedIn, audit.SignInFailed, audit.KeyRefused, audit.KeyRefused, audit.KeyRefused}
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	log := audit.New(b.DB)
	for range 1500 {
		e := audit.Entry{
			OrganisationID: pick(ours, ours, ours, theirs),
			Actor:          pick(audit.Actor{Kind: audit.Person, ID: pick("p1", "p2", "k1"), Name: "P"}, audit.Actor{Kind: audit.Key, ID: pick("k1", "k2", "p1"), Name: "K"}),
			Action:         pick(actions...),
			Target:         pick(audit.Target{}, audit.Target{Kind: "api_key", ID: pick("k1", "k2", "k3")}, audit.Target{Kind: "fork", ID: "k1"}),
		}
		if refuses(e.Action) {
			e.Reason = pick(append(audit.Reasons, "", "")...)
		}
		require.NoError(t, log.Append(t.Context(), e))
	}
	_, err := b.Owner.Pool.Exec(t.Context(), `update audit_entries set at = $1::timestamptz + floor(random() * 6 * 24) * interval '1 h'`, first)
	require.NoError(t, err)
	all, err := log.List(t.Context(), ours, audit.Page{Limit: 2000})
	require.NoError(t, err)
	require.Greater(t, len(all), 1000)
	require.Equal(t, filtered(audit.Filter{}, all), numbers(all), "newest first")

	found := 0
	for i := range 400 {
		f := audit.Filter{
			Kind: pick("", "", audit.Person, audit.Key), PersonID: pick("", "", "p1", "p2", "nobody"), Action: pick(append(actions, "", "", "", "", "", "")...),
			KeyID: pick("", "", "k1", "k2", "k3", "p1", "none"), Reason: pick(append(audit.Reasons, "", "", "", "", "", "", "")...),
			From: pick(time.Time{}, time.Time{}, first.Add(day*time.Duration(random.IntN(7)))),
			To:   pick(time.Time{}, time.Time{}, first.Add(day*time.Duration(random.IntN(7)))),
		}
		if i < 8 { // each alone
			f = []audit.Filter{{}, {Kind: audit.Key}, {PersonID: "p1"}, {Action: audit.KeyRefused}, {KeyID: "k1"}, {Reason: audit.Expired},
				{From: first.Add(day)}, {To: first.Add(day)}}[i]
		}
		want := filtered(f, all)
		found += len(want)
		got, err := log.List(t.Context(), ours, audit.Page{Filter: f, Limit: 2000})
		require.NoError(t, err)
		require.Equal(t, want, numbers(got), "%+v", f)

		limit := 1 + len(want)/3 + random.IntN(50)
		down := []int64{}
		page := audit.Page{Filter: f, Limit: limit}
		for len(down) < len(want) {
			entries, err := log.List(t.Context(), ours, page)
			require.NoError(t, err)
			require.NotEmpty(t, entries, "%+v", page)
			down = append(down, numbers(entries)...)
			page.Before = down[len(down)-1]
		}
		require.Equal(t, want, down, "down in pages of %d: %+v", limit, f)
		edge := all[random.IntN(len(all))] // of the filter or not
		older := filtered(f, all[slices.IndexFunc(all, func(e audit.Entry) bool { return e.ID == edge.ID })+1:])
		before, err := log.List(t.Context(), ours, audit.Page{Filter: f, Before: edge.ID, Limit: 2000})
		require.NoError(t, err)
		require.Equal(t, older, numbers(before), "before any entry: %+v", f)
		if len(want) > 1 { // up again, from any entry
			at := 1 + random.IntN(len(want)-1)
			up, err := log.List(t.Context(), ours, audit.Page{Filter: f, After: want[at], Limit: limit})
			require.NoError(t, err)
			require.Equal(t, want[max(0, at-limit):at], numbers(up), "up: %+v", f)
			from, err := log.List(t.Context(), ours, audit.Page{Filter: f, From: want[at], Limit: limit})
			require.NoError(t, err)
			require.Equal(t, want[at:min(len(want), at+limit)], numbers(from), "from: %+v", f)
		}
	}
	require.Greater(t, found, 10_000, "the filters leave something")
}

// An entry of another organisation is no place in ours.
func TestPlacesAreOurOwn(t *testing.T) {
	b := setup(t)
	for range 3 {
		require.NoError(t, b.log.Append(t.Context(), entry(ours)))
		require.NoError(t, b.log.Append(t.Context(), entry(theirs)))
	}
	foreign, err := b.log.List(t.Context(), theirs, audit.Page{Limit: 9})
	require.NoError(t, err)
	require.Len(t, foreign, 3)
	for _, e := range foreign {
		for _, p := range []audit.Page{{Before: e.ID, Limit: 9}, {After: e.ID, Limit: 9}, {From: e.ID, Limit: 9}, {Before: -1, Limit: 9}, {After: 1 << 60, Limit: 9}} {
			got, err := b.log.List(t.Context(), ours, p)
			require.NoError(t, err)
			require.Empty(t, got, "%+v", p)
		}
	}
}

// Pages neither repeat nor leave out an entry, while others are appended from several sides.
func TestPagesWhileEntriesAreAppended(t *testing.T) {
	b := setup(t)
	log := audit.New(b.DB)
	f := audit.Filter{Action: audit.KeyRefused}
	for range 300 {
		require.NoError(t, log.Append(t.Context(), entry(ours)))
	}
	before, err := log.List(t.Context(), ours, audit.Page{Limit: 1000})
	require.NoError(t, err)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 3 {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = log.Append(t.Context(), entry(ours))
				}
			}
		})
	}
	var got []int64
	for page := (audit.Page{Filter: f, Limit: 7}); len(got) < 2000; page.Before = got[len(got)-1] {
		entries, err := log.List(t.Context(), ours, page)
		require.NoError(t, err)
		if len(entries) == 0 {
			break
		}
		got = append(got, numbers(entries)...)
	}
	close(stop)
	writers.Wait()
	require.Less(t, len(got), 2000, "the pages come to an end")
	at := slices.Index(got, before[0].ID)
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, numbers(before), got[at:])
	slices.Sort(got)
	require.Len(t, slices.Compact(slices.Clone(got)), len(got), "none twice")
}

// Who can be chosen from: the people of this log, each once, by the name in an entry of theirs; keys are no people.
func TestPeople(t *testing.T) {
	b := setup(t)
	people, err := b.log.People(t.Context(), ours)
	require.NoError(t, err)
	require.Empty(t, people)
	want := []audit.Actor{}
	for i := range 7 {
		e := entry(ours)
		e.Actor = audit.Actor{Kind: audit.Person, ID: fmt.Sprintf("p%d", i), Name: fmt.Sprintf("Name %d", i)}
		want = append(want, e.Actor)
		for _, e.Action = range audit.Actions {
			if e.Reason = ""; refuses(e.Action) {
				e.Reason = audit.Reasons[0]
			}
			require.NoError(t, b.log.Append(t.Context(), e))
		}
		e.OrganisationID, e.Actor.ID = theirs, "theirs"
		require.NoError(t, b.log.Append(t.Context(), e))
		e.OrganisationID, e.Actor.Kind = ours, audit.Key
		require.NoError(t, b.log.Append(t.Context(), e))
	}
	people, err = b.log.People(t.Context(), ours)
	require.NoError(t, err)
	require.Equal(t, want, people)

	_, err = b.Owner.Pool.Exec(t.Context(), `insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, method, path, address, user_agent, request_id)
		select $1, now(), 'person', 'q' || n, 'n', 'api_key.created', '', '', '', '', '', '', '' from generate_series(1, 500) n`, ours)
	require.NoError(t, err)
	people, err = b.log.People(t.Context(), ours)
	require.NoError(t, err)
	require.Len(t, people, 200, "not without a bound")
}
