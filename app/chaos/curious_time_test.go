package chaos

import (
	"cmp"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// Times do not tell how many of a hidden group played: reports of a period in which nobody did, and
// of one in which four of fifty did, take turns. Chance tells them apart half of the time.
func TestHiddenReportsTakeEqualTime(t *testing.T) {
	t.Parallel()
	if !apptest.Chaos {
		t.Skip("SKIPPED: times are compared by make chaos")
	}
	db := fixtures.New(t)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	players := db.Players(fork.OrganisationID, 300)
	members := players[250:]
	group := db.Group(fork.OrganisationID, members...)
	var plays []fixtures.Play
	for i := range 40_000 {
		plays = append(plays, fixtures.Play{
			Fork:      fork,
			Player:    players[i%250],
			StartedAt: time.Date(2026, 3, 1, 9, 0, i, 0, time.UTC),
		})
	}
	for i := range 200 {
		plays = append(plays, fixtures.Play{
			Fork:      fork,
			Player:    members[i%4],
			StartedAt: time.Date(2026, 3, 1, 12, i/60, i%60, 0, time.UTC),
		})
	}
	db.StorePlays(plays)
	db.Exec(`analyze plays, group_members`)
	d := apptest.ServeDatabase(t, db)
	times := hiddenTimes(t, d.URL+"/api/v1/forks/"+fork.ID+"/stats", group, func() string {
		return db.Key(fork.OrganisationID).Token()
	})
	told := toldApart(times[0], times[1])
	t.Logf("the busy period is the slower one in %.1f of 100 pairs; medians %v and %v", 100*told,
		median(times[0]), median(times[1]))
	require.InDelta(t, 0.5, told, 0.15)
}

// hiddenTimes are those of the reports of an idle period and of a busy one, which is as long. A key
// is good for 120 requests a minute.
func hiddenTimes(t *testing.T, path, group string, key func() string) (times [2][]time.Duration) {
	t.Helper()
	c := apptest.PlainClient(true)
	token := ""
	defer c.CloseIdleConnections()
	for i := range 2 * apptest.ChaosSize(100, 1000, 4000) {
		if i%100 == 0 {
			token = key()
		}
		period := []string{"?from=2025-03-01&to=2025-03-02", "?from=2026-03-01&to=2026-03-02"}[i%2]
		begun := time.Now()
		response := apptest.Ask(t, c, path+period+"&groupId="+group, token)
		body := apptest.ReadAll(t, response)
		times[i%2] = append(times[i%2], time.Since(begun))
		require.Equal(t, http.StatusOK, response.StatusCode, body)
	}
	return times
}

// toldApart is the share of pairs in which the second is slower; 0.5 is chance.
func toldApart(a, b []time.Duration) float64 {
	more := 0.0
	for _, x := range a {
		for _, y := range b {
			more += float64(1+cmp.Compare(y, x)) / 2
		}
	}
	return more / float64(len(a)*len(b))
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
