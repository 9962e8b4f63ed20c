package audit_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
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

// Two instances count at once, and lose nothing.
func TestEachRefusalIsCounted(t *testing.T) {
	b := setup(t)
	logs := []*audit.Log{b.log, audit.New(pgtest.Open(t, b.URL, postgres.Options{MaxConns: 8}))}
	done := make(chan error)
	for i := range 8 {
		go func() {
			var err error
			for n := 0; n < 250 && err == nil; n++ {
				err = logs[i%2].Count(t.Context(), refused(ours, "key-a", audit.Expired))
			}
			done <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-done)
	}
	require.Equal(t, 2000,
		testkit.One[int](b.World, `select sum(refusals)::int from audit_refusals`))
}

// A count does not wait for the disk, whatever the server's setting.
func TestCountDoesNotWaitForTheDisk(t *testing.T) {
	b := setup(t)
	b.Exec(`create function is_off() returns trigger language plpgsql as $$ begin
		assert current_setting('synchronous_commit') = 'off', 'the commit waits'; return new; end $$`)
	b.Exec(`create constraint trigger is_off after insert on audit_refusals deferrable initially deferred
		for each row execute function is_off()`)
	address, err := url.Parse(b.URL)
	require.NoError(t, err)
	query := address.Query()
	query.Set("synchronous_commit", "on") // the server of the tests has it off
	address.RawQuery = query.Encode()
	log := audit.New(pgtest.Open(t, address.String(), postgres.Options{MaxConns: 1}))
	require.NoError(t, log.Count(t.Context(), refused(ours, "key-a", audit.Expired)))
}
