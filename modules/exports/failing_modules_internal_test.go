package exports

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/reports"
)

// rules.md, CSV and Failures: what fails before the first byte is an error without data. An export
// whose start cannot be recorded is not sent, one whose end cannot be recorded is whole all the
// same. Package httpserver proves the statuses of the kinds of failures.
func TestEachFailingCallOfAnExport(t *testing.T) {
	t.Parallel()
	for failing, want := range map[string]struct {
		method string
		status int
	}{
		"OpenExport": {http.MethodGet, http.StatusNotFound},
		"Header":     {http.MethodHead, http.StatusNotFound},
		"started":    {http.MethodGet, http.StatusServiceUnavailable},
		"finished":   {http.MethodGet, http.StatusOK},
	} {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			failure := func(call string) error {
				return map[string]error{failing: reports.ErrGroupNotFound}[call]
			}
			plays := &mockReports{}
			plays.On("OpenExport", mock.Anything, mock.Anything, mock.Anything).
				Return(func(context.Context, reports.Query, reports.Format) (*reports.Export, error) {
					return &reports.Export{}, failure("OpenExport")
				})
			plays.On("Header", mock.Anything, mock.Anything).
				Return(reports.Header{}, failure("Header"))
			log := &mockAuditLog{}
			log.On("Append", mock.Anything, mock.MatchedBy(func(e audit.Entry) bool {
				return e.Action == audit.ExportStarted
			})).Return(failure("started"))
			log.On("Append", mock.Anything, mock.Anything).Return(failure("finished"))
			b := &bundle{t: t, request: Request{
				Authorize: func(reports.Header) error { return nil },
				Recheck:   func(context.Context) error { return nil },
			}}
			b.serve(plays, log)
			for range MaxConcurrentOfOrganisation + 1 { // each frees its slot
				response := b.send(want.method)
				require.Equal(t, want.status, response.StatusCode)
				whole := want.status == http.StatusOK
				require.Equal(t, whole, response.Header.Get("Content-Disposition") != "")
				require.Equal(t, whole, strings.Contains(b.read(response), "playId,"))
				b.service.Drain(t.Context())
			}
		})
	}
}
