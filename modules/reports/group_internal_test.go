package reports

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/limiter"
)

// Statistics, their HEAD and exports of a group ask who owns it before a play is read, and what is answered is the report's
// error.
func TestReportAsksAboutTheOwnerOfItsGroup(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	refused := errors.New("refused")
	var asked []string
	q := Query{OrganisationID: testOrg, ForkID: testFork, Period: Period{From: testFrom, Days: 1}, GroupID: testGroup}
	q.MayReadGroup = func(organisationID string) error {
		asked = append(asked, organisationID)
		return refused
	}
	_, err := e.reports.Statistics(t.Context(), q, func(l *limiter.Lease) { t.Cleanup(l.Release) })
	require.ErrorIs(t, err, refused)
	_, err = e.reports.Suppressed(t.Context(), q)
	require.ErrorIs(t, err, refused)
	_, err = e.reports.Export(t.Context(), q, CSV)
	require.ErrorIs(t, err, refused)
	require.Equal(t, []string{testOrg, testOrg, testOrg}, asked)

	q.GroupID = ""
	_, err = e.reports.Suppressed(t.Context(), q)
	require.NoError(t, err, "without a group nobody is asked")
}
