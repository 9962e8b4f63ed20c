package audit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

// An entry is appended to the named logs and to no other. It commits with the caller's transaction, in
// all logs or in none.
func TestEntryCommitsToTheNamedLogs(t *testing.T) {
	b := setup(t)
	other := b.Organisation(testkit.Organisation{}).ID
	e := entry("")
	failed := errors.New("failed")
	for _, want := range []error{failed, nil} {
		err := b.DB.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
			require.NoError(t, b.log.AppendIn(tx, entry(ours)))
			require.NoError(t, b.log.AppendToAll(tx, []string{ours, theirs}, e))
			require.NoError(t, b.log.AppendToAll(tx, nil, e), "a person without organisations")
			return want
		})
		require.Equal(t, want, err)
		ids := map[int64]bool{}
		for _, e.OrganisationID = range []string{ours, theirs, other} {
			for _, listed := range b.list(t, e.OrganisationID, audit.Page{Limit: 10}) {
				e.ID = listed.ID
				e.At = listed.At
				require.Equal(t, e, listed)
				require.NotEqual(t, other, e.OrganisationID)
				ids[e.ID] = true
			}
		}
		require.Len(t, ids, map[bool]int{true: 3}[want == nil], "each has another id")
	}
}

// Entries that belong to no log, or whose action is not in the table, are not appended.
func TestInvalidEntryIsRefused(t *testing.T) {
	b := setup(t)
	tx := b.DB.Gorm.WithContext(t.Context())
	unknownAction := entry(ours)
	unknownAction.Action = "api_key.seen"
	noKind := entry(ours)
	noKind.Actor.Kind = ""
	for name, e := range map[string]audit.Entry{
		"no organisation":         entry(""),
		"an unknown organisation": entry("00000000-0000-4000-8000-00000000000c"),
		"no kind of actor":        noKind,
		"an unknown action":       unknownAction,
	} {
		for _, err := range []error{
			b.log.Append(t.Context(), e),
			b.log.AppendToAll(tx, []string{ours, e.OrganisationID}, e),
		} {
			require.Error(t, err, name)
			require.Equal(t, e.Action == "api_key.seen", apperr.Is(err, apperr.Internal), "%s: %v", name, err)
		}
	}
	require.Zero(t, b.Count(`audit_entries`))
}

// The refusals of a key for one reason are one entry a minute, in their organisation's log alone.
func TestCountedRefusalsAreOneEntryAMinute(t *testing.T) {
	b := setup(t)
	key := audit.Actor{Kind: audit.Key, ID: "k-1", Name: "Warehouse"}
	count := func(organisation string, reason audit.Reason) {
		require.NoError(t, b.log.CountRefusal(t.Context(), audit.Entry{
			OrganisationID: organisation, Actor: key, Action: audit.KeyRefused, Reason: reason,
		}))
	}
	began := b.clock(t).Truncate(time.Minute)
	for range 3 {
		count(ours, audit.WrongSecret)
		count(theirs, audit.WrongSecret)
	}
	count(ours, audit.OutsideAPI)
	total := map[audit.Reason]float64{}
	for _, e := range b.list(t, ours, audit.Page{Limit: 10}) {
		require.Zero(t, e.At.UnixMilli()%60_000)
		require.False(t, e.At.Before(began))
		total[e.Reason] += e.Details[audit.RefusalsDetail].(float64)
		require.Equal(t, key, e.Actor)
		require.Equal(t, audit.KeyRefused, e.Action)
	}
	require.Equal(t, map[audit.Reason]float64{audit.WrongSecret: 3, audit.OutsideAPI: 1}, total)

	b.Exec(`update audit_refusals set at = at - interval '1 h'`)
	count(ours, audit.OutsideAPI)
	require.Equal(t, 1.0, b.list(t, ours, audit.Page{Limit: 1})[0].Details[audit.RefusalsDetail],
		"another minute")
}
