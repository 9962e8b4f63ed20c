package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/require"

	"dg/configs"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// No value of the parameter next leads the sign-in to another site. Browsers read a backslash as a slash.
func TestLocalPathStaysOnTheSite(t *testing.T) {
	for _, next := range []string{
		"//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, `\/evil.example`, "/%2fevil.example",
		"/%2Fevil.example", "/%5cevil.example", "https://evil.example", "https:evil.example", "https:/evil.example",
		"javascript:alert(1)", "evil.example", "@evil.example", ".evil.example", " //evil.example", "/\t/evil.example",
		"\t//evil.example", "/\n/evil.example", "/\r\nLocation: https://evil.example", "/\x00/evil.example",
		"/\x0b/evil.example", "/\x7f/evil.example", "//evil.example/%2f..", "//user@/evil", "///user@/evil", "/%", "",
	} {
		require.Equal(t, "/", LocalPath(next), "%q", next)
	}
	for _, next := range []string{
		"/account", "/o/a%2Fb/reports?from=2026-01-01&to=2026-01-02", "/docs?x=//evil.example",
		"/x//y", "/é", "/o/%C3%A9/reports",
	} {
		require.Equal(t, next, LocalPath(next))
	}
	base := tb.Must(url.Parse("https://dg.example/sign-in"))(t)
	require.NoError(t, quick.Check(func(prefix uint8, rest string) bool {
		next := []string{"/", "//", `/\`, "/%2f", "https:", ""}[prefix%6] + rest
		resolved, err := base.Parse(LocalPath(next))
		return err == nil && resolved.Host == base.Host && resolved.Scheme == base.Scheme
	}, nil))
}

// Thousands are separated, percentages have one decimal, and a period does not repeat its month or year.
func TestNumbersAndPeriodsAreShort(t *testing.T) {
	texts := []string{Count(999), Count(1000), Count(1_234_567), Count(-1234), Count(-123), Percent(696), Percent(0)}
	require.Equal(t, "999 1,000 1,234,567 -1,234 -123 69.6% 0.0%", strings.Join(texts, " "))
	last := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) // a Saturday
	for days, want := range map[int]string{
		1: "21 Nov 2026", 21: "1 to 21 Nov 2026", 28: "25 Oct to 21 Nov 2026", 365: "22 Nov 2025 to 21 Nov 2026",
	} {
		require.Equal(t, want, Period(reports.Period{From: last.AddDate(0, 0, 1-days), Days: days}))
	}
	require.Equal(t, "Sat 21 Nov 2026", Weekday(last))
}

// An axis ends at round numbers near its values. Its labels are also round.
func TestAxesEndNearTheirValues(t *testing.T) {
	friday := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 4}
	for most, want := range map[int64]string{
		0: "1 0", 5: "5 4 3 2 1 0", 6: "6 4 2 0", 11: "15 10 5 0", 101: "125 100 75 50 25 0",
		10_001: "12,500 10,000 7,500 5,000 2,500 0",
	} {
		require.Equal(t, want, strings.Join(NewPanel(friday, 0, most, 1, Count).Labels, " "))
	}
	panel := NewPanel(friday, 701, 801, 50, Count)
	require.Equal(t, []string{"850", "800", "750", "700"}, panel.Labels)
	require.Equal(t, int64(150), panel.Height())
	require.Equal(t, "M0 0H400M0 50H400M0 100H400M0 150H400", panel.Grid)
	require.Equal(t, "M110 49h80v801h-80z", panel.Bar(1, 1, 80, 801))
	require.Empty(t, panel.Bar(1, 1, 80, 0))
}

// Labels stand at the start of their day, week or month, and fit at 7 px a character and 5 px between labels.
func TestTickLabelsDoNotOverlap(t *testing.T) {
	month := reports.Period{From: time.Date(2026, 10, 21, 0, 0, 0, 0, time.UTC), Days: 30}
	require.Equal(t, []Tick{
		{Label: "21 Oct"}, {Label: "28 Oct", percent: 700. / 30}, {Label: "4 Nov", percent: 1400. / 30},
		{Label: "11 Nov", percent: 2100. / 30}, {Label: "18", Month: "Nov", percent: 2800. / 30},
	}, Ticks(month))
	year := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: 365}
	months := ""
	for _, tick := range Ticks(year) {
		months += tick.Label + " "
	}
	require.Equal(t, "Dec 2026 Feb Mar Apr May Jun Jul Aug Sep Oct ", months)
	for days := 1; days <= 366; days++ {
		ticks := Ticks(reports.Period{From: year.From, Days: days})
		for pixels, wide := range map[float64]bool{232: false, 784: true} {
			end := -5.0
			for _, tick := range ticks {
				if tick.WideOnly && !wide {
					continue
				}
				label := strings.TrimSpace(tick.Label + map[bool]string{true: " " + tick.Month}[wide])
				at := map[bool]float64{false: tick.percent * pixels / 100,
					true: 1.01*pixels - 7*float64(len(label))}[tick.AtEnd()]
				require.GreaterOrEqual(t, at, end+5, "%d days: %v", days, ticks)
				end = at + 7*float64(len(label))
			}
			require.Positive(t, end, days)
			require.LessOrEqual(t, end, 1.01*pixels, "%d days: %v", days, ticks)
		}
	}
}

// A running download rechecks its person's access to the organisation. A failed check does not count as lost access.
func TestDownloadIsRecheckedForAccess(t *testing.T) {
	policy := tb.Must(authz.New())(t)
	model := strings.Replace(configs.AuthzModel, "hasGrant(r.grants, p.grant)", "hasGrant(r.grants)", 1)
	broken := tb.Must(authz.Compile(model, configs.AuthzPolicy))(t)
	organisation := org.Organisation{ID: "acme", Slug: "renamed"}
	membership := func(role org.Role, id string) org.Membership {
		return org.Membership{OrganisationID: id, Organisation: organisation, Role: role}
	}
	owner, member := membership(org.RoleOwner, "acme"), membership(org.RoleMember, "acme")
	failed := &apperr.Error{Code: apperr.Unavailable, Message: "The database did not answer."}
	notFound := apperr.New(apperr.NotFound, "No such organisation.")
	for name, c := range map[string]struct {
		membership                org.Membership
		sessionErr, membershipErr error
		policy                    *authz.Policy
		status                    int // expected status of the error, or 0 without one
	}{
		"access":                  {membership: owner},
		"session ended":           {sessionErr: identity.ErrNoSession, status: http.StatusUnauthorized},
		"sessions unavailable":    {sessionErr: failed, status: http.StatusServiceUnavailable},
		"membership ended":        {membershipErr: notFound, status: http.StatusNotFound},
		"memberships unavailable": {membershipErr: failed, status: http.StatusServiceUnavailable},
		"role lost":               {membership: member, status: http.StatusForbidden},
		"another's membership":    {membership: membership(org.RoleOwner, "other"), status: http.StatusForbidden},
		"policy undecided":        {membership: owner, policy: broken, status: http.StatusInternalServerError},
	} {
		err := accessCheck(&Principal{Membership: owner, policy: cmp.Or(c.policy, policy)}, audit.ReadAuditLog,
			func(context.Context, *postgres.DB, identity.Session) error { return c.sessionErr },
			func(_ context.Context, _ *postgres.DB, _, organisationID string) (org.Membership, error) {
				require.Equal(t, "acme", organisationID)
				return c.membership, c.membershipErr
			})(t.Context(), nil)
		if c.status == 0 {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, c.status, apperr.From(err).Code.HTTP().Status, name)
	}
}
