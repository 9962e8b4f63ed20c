package exports_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rows fail after the entry of the start: it gets one of the end.
func TestExportWhoseFirstRowsFailIsRecorded(t *testing.T) {
	b := setup(t)
	b.Exec(`revoke select on players from dg_app`)
	b.Exec(`grant select (org_id, ordinal) on players to dg_app`)
	response := b.send(http.MethodGet)
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.Empty(t, response.Header.Get("Content-Disposition"))
	require.Contains(t, b.entry("export.started"), "exportId")
	details := b.entry("export.finished")
	require.Contains(t, details, `"outcome": "failed"`)
	require.Contains(t, details, `"rows": 0`)
	b.untilFree()
}

// rules.md, CSV: the last chunk of a whole file does not wait for the entry of its end. On a slow
// disk the entry took as long as the write deadline, and whole files lost their end.
func TestWholeExportDoesNotWaitForItsEnd(t *testing.T) {
	b := setup(t)
	response := b.send(http.MethodGet)
	entry := b.Begin(`lock table audit_entries in share mode`)
	file, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 20_001, strings.Count(string(file), "\n"))
	require.Zero(t, b.entries("export.finished"))
	require.NoError(t, entry.Rollback(t.Context()))
	require.Contains(t, b.entry("export.finished"), `"outcome": "completed"`)
}
