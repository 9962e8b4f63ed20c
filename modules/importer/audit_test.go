package importer

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit/pgtest"
)

var commandRequest = audit.Request{Method: "CLI", Path: "dg import", UserAgent: "dg/test"}

// importAs imports a file by the command.
func importAs(t *testing.T, pool *pgxpool.Pool, lines string) error {
	t.Helper()
	_, err := Importer{Pool: pool, Request: commandRequest}.
		Import(t.Context(), []Input{file("f", lines)}, nil)
	return err
}

// changes returns the log of an organisation with its ids and instants cleared.
func changes(t *testing.T, db *pgtest.Database, organisation string) []audit.Entry {
	t.Helper()
	log, err := audit.New(db.DB).
		List(t.Context(), idOf(organisation).String(), audit.Page{Limit: 100})
	require.NoError(t, err)
	for i := range log {
		log[i].ID = 0
		log[i].At = time.Time{}
	}
	return log
}

// rules.md, Audit log: an import that changes the plan or the reporting mode adds an entry of the
// operator to the log of the organisation. One that creates it, changes neither, or fails adds
// none.
func TestImportRecordsChangesOfPlanAndReportingMode(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pool := db.Owner.Pool
	require.NoError(t, importAs(t, pool, world))
	require.NoError(t, importAs(t, pool, changed("acme", `"Acme"`, `"Acme Ltd"`)))
	moved := changed("acme", `"plan":"pro","reportingMode":"pseudonymous"`,
		`"plan":"free","reportingMode":"nominative"`)
	require.Error(t, importAs(t, pool, moved+`{"type":"nothing"}`))
	require.Empty(t, changes(t, db, "acme"))
	for range 2 {
		require.NoError(t, importAs(t, pool, moved))
	}
	entry := func(action audit.Action, from, to string) audit.Entry {
		id := idOf("acme").String()
		return audit.Entry{
			OrganisationID: id, Actor: audit.TheOperator, Action: action, Request: commandRequest,
			Target: audit.Target{Kind: "organisation", ID: id}, Details: map[string]any{"from": from, "to": to},
		}
	}
	require.ElementsMatch(t, []audit.Entry{
		entry(audit.PlanChanged, "pro", "free"),
		entry(audit.ReportingModeChanged, "pseudonymous", "nominative"),
	}, changes(t, db, "acme"))
	require.Empty(t, changes(t, db, "other"))
}

// rules.md, Audit log: an entry says what the import changed, also if an owner changes the mode
// concurrently.
func TestImportRecordsTheModeThatItReplaces(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pool := db.Owner.Pool
	require.NoError(t, importAs(t, pool, world))
	owner, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = owner.Exec(t.Context(),
		`update organisations set reporting_mode = 'nominative' where id = $1`, idOf("acme"))
	require.NoError(t, err)
	imported := make(chan error, 1)
	go func() {
		imported <- importAs(t, pool, changed("acme", `"pseudonymous"`, `"nominative"`))
	}()
	require.Eventually(t, func() (waits bool) {
		return owner.QueryRow(t.Context(), `select exists (select from pg_locks
			where not granted and transactionid = pg_current_xact_id()::xid)`).
			Scan(&waits) == nil && waits
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, owner.Commit(t.Context()))
	require.NoError(t, <-imported)
	require.Empty(t, changes(t, db, "acme"))
}
