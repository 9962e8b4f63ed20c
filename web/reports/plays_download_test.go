package reports_test

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// rules.md, CSV: the download has the same rows as the API, to the byte, in both modes, and is
// recorded with the person as its actor.
func TestDownloadEqualsTheAPIExport(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	random := rand.New(rand.NewPCG(7, 7))
	now := time.Now().UTC()
	from := now.AddDate(0, 0, -30).Format(time.DateOnly)
	days := "from=" + from + "&to=" + now.Format(time.DateOnly)
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := w.OrganisationOf(testkit.Organisation{Slug: mode, ReportingMode: mode})
		fork := w.Fork(o)
		names := numbered(30)
		copy(names, []string{"=1+1", `a "quoted", name`, "@x", "\u202eevil"})
		players := w.DB.PlayersNamed(o.ID, names...)
		randomPlays(w, random, 900, 40, []testkit.Fork{fork}, players, now)
		get := w.API(t, o)
		b := w.SignedIn(t, o.Admin)
		for i, group := range []string{
			"", "&groupId=" + w.DB.Group(o.ID, players[:4]...),
			"&groupId=" + w.DB.Group(o.ID, players[:20]...),
		} {
			want := get("/forks/" + fork.ID + "/exports/csv?" + days + group)
			got := b.Get(o.At("/reports/%s/plays.csv?%s", fork.ID, days+group)).Is(t, 200)
			require.Equal(t, want.Body, got.Body)
			require.Equal(t, i == 1, strings.Count(got.Body, "\n") == 1)
			for _, name := range []string{
				"Content-Type", "Content-Disposition", "Cache-Control", "X-Dg-Report-Suppressed",
			} {
				require.Equal(t, want.Header.Get(name), got.Header.Get(name), name)
			}
			w.ExportsOf(t, o, 2*i+2) // the end of an export is recorded after its last byte
		}
		person := audit.Actor{Kind: audit.Person, ID: o.Admin.ID, Name: o.Admin.Name}
		recorded := 0
		for _, e := range w.ExportsOf(t, o, 6) {
			if e.Actor == person {
				recorded++
				require.Equal(t, audit.Target{Kind: "fork", ID: fork.ID}, e.Target)
				require.Equal(t, o.At("/reports/%s/plays.csv", fork.ID), e.Request.Path)
			}
		}
		require.Equal(t, 6, recorded, "three starts and three ends")
	}
}

// An invalid download is a page that says what to do, and leaves no entry.
func TestInvalidDownloadIsRejected(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	other := w.Organisation("other")
	fork := w.Fork(o).ID
	for path, says := range map[string]string{
		w.Fork(other).ID + "/plays.csv?from=x":                             "Fork not found",
		fork + "/plays.csv?from=2026-01-01&to=x&groupId=nobody":            "“To” is not a date",
		fork + "/plays.csv?from=2025-01-01&from=2025-01-01":                "is repeated",
		fork + "/plays.csv?groupId=" + w.DB.GroupNamed(other.ID, "theirs"): "Group not found",
		fork + "/plays.csv?format=xlsx":                                    "The format is unknown.",
	} {
		p := b.Get(o.At("/reports/%s", path)).Has(t, says).Lacks(t, other.Name)
		require.Contains(t, p.Header.Get("Content-Type"), "text/html", path)
	}
	require.Empty(t, w.ExportsOf(t, o, 0))
}

// rules.md, CSV: a running download is aborted when its person loses the role, and the browser
// notices. Every other end of access is proved by web/ui, every other outcome by modules/exports.
func TestDownloadEndsWithTheRole(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	fork := w.Fork(o)
	w.DB.Players(o.ID, 1)
	w.DB.Plays(fork, 60_000, time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), time.Second)
	path := o.At("/reports/%s/plays.csv?from=2024-01-01&to=2024-12-31", fork.ID)
	ended := w.Begin(t, w.SignedIn(t, o.Admin), path)
	w.DB.Exec(`update memberships set role = 'member' where user_id = $1`, o.Admin.ID)
	require.ErrorIs(t, <-ended, syscall.ECONNRESET, "the transfer does not end as a whole one does")
	finished := w.ExportsOf(t, o, 1)[0]
	require.Equal(t, "access_ended", finished.Details["outcome"])
	require.Equal(t, o.Admin.ID, finished.Actor.ID)
}

// The file has the chosen format under the same name.
func TestDownloadForExcel(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Played(o)
	path := o.At("/reports/%s/plays.csv", fork)
	plain := b.Get(path + "?format=")
	p := b.Get(path+"?format=excel-semicolon").Is(t, 200)
	require.True(t, strings.HasPrefix(p.Body, "\uFEFFplayId;forkId;"), "%.40q", p.Body)
	require.Equal(t, strings.Count(plain.Body, "\n"), strings.Count(p.Body, "\n"))
	require.Equal(t, plain.Header.Get("Content-Disposition"), p.Header.Get("Content-Disposition"))
}
