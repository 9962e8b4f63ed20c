package docs

import (
	"context"
	"slices"
	"time"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/web/ui"
)

// The examples of the OpenAPI document and the recipes use these ids and days, for which the demo
// returns the sample responses. Fill replaces them.
const (
	exampleForkID   = "60772820-1226-4be5-b50f-c2adbe3dca64"
	exampleGroupID  = "367856ea-0ce4-4434-8f3b-0260cd0f3211"
	exampleFirstDay = "2026-03-01"
	exampleLastDay  = "2026-03-02"
)

type examples struct {
	ForkID, GroupID      string
	ForkTitle, GroupName string // "" if the id is a placeholder
	baseURL              string // public URL of this service
	// historyStart and yearAgo replace the first days in recipes. historyStart is two years ago, or
	// the day the oldest fork was created, whichever is earlier.
	historyStart, yearAgo string
	// firstDay and lastDay replace the days of requests. They are the last two complete days, or the
	// days of the sample responses.
	firstDay, lastDay string
}

// daysAgo returns the day n days ago, such as 2026-03-01.
func (h *Handler) daysAgo(n int) string { return h.Today().AddDate(0, 0, -n).Format(time.DateOnly) }

func (h *Handler) placeholders() examples {
	return examples{
		ForkID:       exampleForkID,
		GroupID:      exampleGroupID,
		baseURL:      h.BaseURL,
		historyStart: h.Today().AddDate(-2, 0, 0).Format(time.DateOnly),
		yearAgo:      h.daysAgo(365),
		firstDay:     exampleFirstDay,
		lastDay:      exampleLastDay,
	}
}

// examplesFor returns ids of the reader's organisation, or placeholders if they cannot be read: the
// documentation must be readable while the database is down.
func (h *Handler) examplesFor(ctx context.Context, p *ui.Principal) examples {
	e := h.placeholders()
	if p == nil || p.Organisation.ID == "" {
		return e
	}
	forks, err := h.ForksOf(ctx, p)
	if err != nil || len(forks) == 0 {
		return e
	}
	// the oldest active fork with a deployed release; without one, the oldest fork
	slices.SortFunc(forks, func(a, b games.Fork) int { return a.CreatedAt.Compare(b.CreatedAt) })
	fork := forks[max(0, slices.IndexFunc(forks, func(f games.Fork) bool {
		return f.Status == "active" && f.DeployedReleaseNumber != nil
	}))]
	if fork.ID != exampleForkID {
		e.firstDay = h.daysAgo(2)
		e.lastDay = h.daysAgo(1)
	}
	e.historyStart = min(e.historyStart, forks[0].CreatedAt.Format(time.DateOnly))
	e.ForkID = fork.ID
	e.ForkTitle = fork.Title
	if groups, err := h.GroupsOf(ctx, p, reports.ReadReport, ""); err == nil && len(groups) > 0 {
		e.GroupID = groups[0].ID
		e.GroupName = groups[0].Name
	}
	return e
}
