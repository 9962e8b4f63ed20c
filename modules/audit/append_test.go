package audit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// A person's security event is in the logs of the person's organisations, and in no other.
func TestEntryIsAppendedToTheNamedLogs(t *testing.T) {
	b := setup(t)
	other := b.Organisation(fixtures.Organisation{}).ID
	e := entry("")
	require.NoError(t,
		b.log.AppendToAll(b.DB.Gorm.WithContext(t.Context()), []string{ours, theirs}, e))
	require.NoError(t, b.log.AppendToAll(b.DB.Gorm.WithContext(t.Context()), nil, e),
		"a person without organisations")
	ids := map[int64]bool{}
	for _, e.OrganisationID = range []string{ours, theirs} {
		listed := b.list(t, e.OrganisationID, audit.Page{Limit: 10})
		require.Len(t, listed, 1)
		e.ID = listed[0].ID
		e.At = listed[0].At
		require.Equal(t, e, listed[0])
		ids[e.ID] = true
	}
	require.Len(t, ids, 2, "each has an id of its own")
	listed := b.list(t, other, audit.Page{Limit: 10})
	require.Empty(t, listed)
}

// All logs get the entry with the caller's transaction, or none does.
func TestEntryIsAppendedToAllLogsOrNone(t *testing.T) {
	b := setup(t)
	failed := errors.New("failed")
	err := b.DB.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
		require.NoError(t, b.log.AppendToAll(tx, []string{ours, theirs}, entry("")))
		return failed
	})
	require.ErrorIs(t, err, failed)
	unknown := "00000000-0000-4000-8000-00000000000c"
	require.Error(t,
		b.log.AppendToAll(b.DB.Gorm.WithContext(t.Context()), []string{ours, unknown}, entry("")))
	require.Zero(t, fixtures.One[int](b.Database, `select count(*) from audit_entries`))
}

// An entry that no filter finds is neither appended nor counted.
func TestEntryThatNoFilterFindsIsRefused(t *testing.T) {
	b := setup(t)
	tx := b.DB.Gorm.WithContext(t.Context())
	action := entry(ours)
	reason := entry(ours)
	action.Action = "nothing.known"
	reason.Action = audit.KeyCreated
	for name, e := range map[string]audit.Entry{
		"an unknown action":          action,
		"a reason of another action": reason,
	} {
		for how, err := range map[string]error{
			"append":        b.log.Append(t.Context(), e),
			"append to all": b.log.AppendToAll(tx, []string{ours}, e),
			"count":         b.log.Count(t.Context(), e),
			"count in all":  b.log.CountInAll(tx, []string{ours}, e),
		} {
			require.True(t, apperr.Is(err, apperr.Internal), "%s, %s: %v", how, name, err)
		}
	}
	require.Zero(t,
		fixtures.One[int](b.Database,
			`select (select count(*) from audit_entries) + (select count(*) from audit_bursts)`))
}

// A log that cannot be read is an error, not an empty log; an entry that cannot be written is not
// taken as written.
func TestUnreachableLogIsAnError(t *testing.T) {
	b := setup(t)
	gone := pgtest.Open(t, b.URL, postgres.Options{MaxConns: 1})
	gone.Close()
	log := audit.New(gone)
	for name, call := range map[string]func(context.Context) error{
		"list": func(ctx context.Context) error {
			_, err := log.List(ctx, ours, audit.Page{Limit: 1})
			return err
		},
		"from a cursor": func(ctx context.Context) error {
			_, err := log.List(ctx, ours, audit.Page{Limit: 1, Before: 1})
			return err
		},
		"people": func(ctx context.Context) error {
			_, err := log.People(ctx, ours)
			return err
		},
		"append": func(ctx context.Context) error { return log.Append(ctx, entry(ours)) },
		"append to all": func(ctx context.Context) error {
			return log.AppendToAll(gone.Gorm.WithContext(ctx), nil, entry(ours))
		},
		"count":         func(ctx context.Context) error { return log.Count(ctx, entry(ours)) },
		"record bursts": log.RecordBursts,
	} {
		err := call(t.Context())
		require.True(t, postgres.Unavailable(err), "%s: %v", name, err)
	}
}
