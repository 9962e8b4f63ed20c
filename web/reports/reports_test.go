package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

func TestReportsEscapeHostileNames(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	names := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`,
		`=HYPERLINK("http://evil.example","x")`, "\u202egnp.exe\u2066",
		`{{.CSRF}}`, `</title></select></option><b>`, strings.Repeat("W", 200),
		"javascript:alert(1)", "' onload='x", "日本語 — Ünïcödé 🎲",
	}
	o := w.OrganisationOf(testkit.Organisation{
		Slug: "acme", Name: names[0], ReportingMode: "nominative",
	})
	players := w.DB.PlayersNamed(o.ID, append(slices.Clone(names), numbered(5)...)...)
	forks := make([]string, len(names))
	groups := make([]string, len(names))
	for i, name := range names {
		fork := w.DB.Fork(testkit.Fork{
			OrganisationID: o.ID, Title: name, Slug: fmt.Sprintf("%.190s %d", name, i),
		})
		forks[i] = fork.ID
		groups[i] = w.DB.GroupNamed(o.ID, name, players...)
		w.DB.Plays(fork, len(players), time.Now().AddDate(0, 0, -1), 0)
	}
	b := w.SignedIn(t, o.Owner)
	list := b.Get(o.At("/reports")).Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
	for i, name := range names {
		p := b.Get(o.At("/reports/%s?groupId=%s", forks[i], groups[i])).Is(t, 200)
		p.Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
		require.Equal(t, [][]string{{name}}, testkit.Cells(`<h1><bdi>([^<]*)</bdi></h1>`, p.Body),
			"the title, isolated")
		require.Equal(t, [][]string{{name}},
			testkit.Cells(`<p class="lede">[^<]*<bdi>([^<]*)</bdi>&nbsp;· Names</p>`, p.Body),
			"the group, isolated")
		require.Contains(t, fmt.Sprint(testkit.Cells(playerCells, p.Body)), name)
		require.Contains(t, fmt.Sprint(testkit.Cells(forkCells, list.Body)), name)
		csv := b.Get(o.At("/reports/%s/plays.csv?groupId=%s", forks[i], groups[i])).Is(t, 200)
		require.Regexp(t,
			`^attachment; filename="[A-Za-z0-9_-]{1,80}_[0-9-]{10}_[0-9-]{10}_group-[0-9a-f-]{36}\.csv"$`,
			csv.Header.Get("Content-Disposition"))
		require.NotRegexp(t, `(?m)(^|,)"?=`, csv.Body, "a formula begins a cell")
	}
}
