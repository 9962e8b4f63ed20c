package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// The refusals of a key for one reason are one entry a minute, in their organisation's log alone.
func TestCountedRefusalsAreOneEntryAMinute(t *testing.T) {
	b := setup(t)
	refused := func(organisation string, reason audit.Reason) audit.Entry {
		return audit.Entry{
			OrganisationID: organisation,
			Actor:          audit.Actor{Kind: audit.Key, ID: organisation, Name: "Warehouse"},
			Action:         audit.KeyRefused,
			Reason:         reason,
		}
	}
	count := func(organisation string, reason audit.Reason) {
		require.NoError(t, b.log.CountRefusal(t.Context(), refused(organisation, reason)))
	}
	began := b.clock(t).Truncate(time.Minute)
	for range 3 {
		count(ours, audit.WrongSecret)
		count(theirs, audit.WrongSecret)
	}
	count(ours, audit.OutsideAPI)
	total := map[audit.Reason]float64{}
	for _, e := range b.list(t, ours, audit.Page{Limit: 10}) {
		require.Positive(t, e.ID)
		require.Zero(t, e.At.UnixMilli()%60_000)
		require.False(t, e.At.Before(began))
		total[e.Reason] += e.Details[audit.RefusalsDetail].(float64)
		want := refused(ours, e.Reason)
		want.ID = e.ID
		want.At = e.At
		want.Details = e.Details
		require.Equal(t, want, e)
	}
	require.Equal(t, map[audit.Reason]float64{audit.WrongSecret: 3, audit.OutsideAPI: 1}, total)

	b.Exec(`update audit_refusals set at = at - interval '1 h'`)
	count(ours, audit.OutsideAPI)
	require.Equal(t, 1.0, b.list(t, ours, audit.Page{Limit: 1})[0].Details[audit.RefusalsDetail],
		"another minute")
}
