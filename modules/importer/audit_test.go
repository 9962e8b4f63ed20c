package importer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// changes returns the log of an organisation with its ids and instants cleared.
func (b bundle) changes(organisation string) []audit.Entry {
	b.t.Helper()
	log, err := audit.New(b.DB).
		List(b.t.Context(), idOf(organisation).String(), audit.Page{Limit: 100})
	require.NoError(b.t, err)
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
	b := setup(t)
	b.imports(file("f", changed("acme", `"Acme"`, `"Acme Ltd"`)))
	moved := changed("acme", `"plan":"pro","reportingMode":"pseudonymous"`,
		`"plan":"free","reportingMode":"nominative"`)
	b.errorsOf(file("f", moved+`{"type":"nothing"}`))
	require.Empty(t, b.changes("acme"))
	for range 2 {
		b.imports(file("f", moved))
	}
	entry := func(action audit.Action, from, to string) audit.Entry {
		id := idOf("acme").String()
		return audit.Entry{
			OrganisationID: id, Actor: audit.OperatorActor, Action: action, Request: request,
			Target: audit.Target{Kind: "organisation", ID: id}, Details: map[string]any{"from": from, "to": to},
		}
	}
	require.ElementsMatch(t, []audit.Entry{
		entry(audit.PlanChanged, "pro", "free"),
		entry(audit.ReportingModeChanged, "pseudonymous", "nominative"),
	}, b.changes("acme"))
	require.Empty(t, b.changes("other"))
}

// rules.md, Audit log: an entry says what the import changed, also if an owner changes the mode
// concurrently.
func TestImportRecordsTheModeThatItReplaces(t *testing.T) {
	b := setup(t)
	owner := b.Begin(`update organisations set reporting_mode = 'nominative' where id = $1`,
		idOf("acme"))
	imported := make(chan error, 1)
	go func() {
		_, err := b.importFiles(file("f", changed("acme", `"pseudonymous"`, `"nominative"`)))
		imported <- err
	}()
	require.Eventually(t, func() (waits bool) {
		return owner.QueryRow(t.Context(), `select exists (select from pg_locks
			where not granted and transactionid = pg_current_xact_id()::xid)`).
			Scan(&waits) == nil && waits
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, owner.Commit(t.Context()))
	require.NoError(t, <-imported)
	require.Empty(t, b.changes("acme"))
}
