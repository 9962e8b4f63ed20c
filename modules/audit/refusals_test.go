package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// refused is a refusal to count.
func refused(organisation, key string, reason audit.Reason) audit.Entry {
	return audit.Entry{
		OrganisationID: organisation,
		Actor:          audit.Actor{Kind: audit.Key, ID: key, Name: "Warehouse"},
		Action:         audit.KeyRefused,
		Reason:         reason,
	}
}

// The refusals of a key for one reason are one entry a minute, in their organisation's log alone.
func TestCountedRefusalsAreOneEntryAMinute(t *testing.T) {
	b := setup(t)
	began := b.clock(t).Truncate(time.Minute)
	for range 3 {
		b.counts(t, refused(ours, "key-a", audit.WrongSecret))
		b.counts(t, refused(theirs, "key-b", audit.WrongSecret))
	}
	b.counts(t, refused(ours, "key-a", audit.OutsideAPI))
	total := map[audit.Reason]float64{}
	for _, e := range b.list(t, ours, audit.Page{Limit: 10}) {
		require.Positive(t, e.ID)
		require.Zero(t, e.At.UnixMilli()%60_000)
		require.False(t, e.At.Before(began))
		total[e.Reason] += e.Details[audit.Refusals].(float64)
		want := refused(ours, "key-a", e.Reason)
		want.ID = e.ID
		want.At = e.At
		want.Details = e.Details
		require.Equal(t, want, e)
	}
	require.Equal(t, map[audit.Reason]float64{audit.WrongSecret: 3, audit.OutsideAPI: 1}, total)

	b.Exec(`update audit_refusals set at = at - interval '1 h'`)
	b.counts(t, refused(ours, "key-a", audit.OutsideAPI))
	require.Equal(t, 1.0, b.list(t, ours, audit.Page{Limit: 1})[0].Details[audit.Refusals],
		"another minute")
}
