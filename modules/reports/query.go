package reports

import (
	"cmp"
	"time"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
)

// Query selects a report. The caller must have checked that the fork belongs to the organisation.
type Query struct {
	OrganisationID, ForkID string // ForkID is "" for an overview
	Period                 Period
	GroupID                string // empty for all players
	OmitLists              bool   // omits players, their labels and overlaps
	MaxHashedPlays         int    // unsealed plays that a Fingerprint may hash; 0 for no Fingerprint
	CompleteDays           int    // days from the start that Statistics.CompleteStatistics covers, or 0
	// time limit of the search for overlaps; 0 means no search
	OverlapsTimeout time.Duration
	// replicas that have replayed this LSN may be read; if zero, only the primary is
	Position postgres.Position

	labelCache *labelCache // if nil, labels are not cached and their version is not read
}

func (q Query) completePeriod() Period {
	return Period{From: q.Period.From, Days: cmp.Or(q.CompleteDays, q.Period.Days)}
}

// ErrGroupNotFound hides whether the group is unknown or belongs to another organisation.
var ErrGroupNotFound = apperr.New(apperr.NotFound,
	"No such group. Owners and admins find the ids of groups in Settings, Organisation.")

// MaxPeriodDays is the maximum length of a period, a leap year. Its first and last day both count.
const MaxPeriodDays = 366

// day has a constant length, because reports have UTC days.
const day = 24 * time.Hour

// Period is a range of whole UTC days.
type Period struct {
	From time.Time // the first instant of the first day, UTC
	Days int       // 1 to MaxPeriodDays
}

type dates struct {
	From string `json:"from" validate:"required_with=To,required,reportable"`
	To   string `json:"to" validate:"required_with=From,required,reportable"`
}

var dateChecks = input.New(map[string]string{
	"from required":      "Query parameters `from` and `to` are required, for example from=2026-03-01&to=2026-03-31.",
	"from required_with": "Query parameter `from` is required, for example from=2026-03-01.",
	"to required_with":   "Query parameter `to` is required, for example to=2026-03-31.",
}, nil)

// ParsePeriod parses the first and last day of a period of at most MaxPeriodDays. An empty
// parameter counts as missing. Errors: apperr.Validation with the field. If only the length is
// invalid, the period is returned with the error.
func ParsePeriod(from, to string) (Period, error) {
	if err := dateChecks.Check(dates{from, to}); err != nil {
		return Period{}, err
	}
	first, _ := input.ParseDay(from) // dateChecks has checked both
	last, _ := input.ParseDay(to)
	p := NewPeriod(first, last)
	if p.Days < 1 {
		return p, apperr.NewField("to", "`to` (%s) is before `from` (%s).", to, from)
	}
	if p.Days > MaxPeriodDays {
		return p, apperr.NewField("to",
			"The period from %s to %s has %d days. The maximum is %d, both days included.",
			from, to, p.Days, MaxPeriodDays)
	}
	return p, nil
}

// NewPeriod returns the period from the day first to the day last, both included.
func NewPeriod(first, last time.Time) Period {
	return Period{From: first, Days: int(last.Sub(first)/day) + 1}
}

// End returns the first instant after the period.
func (p Period) End() time.Time { return p.From.Add(time.Duration(p.Days) * day) }

// Day returns the period's i-th day, from 0, as YYYY-MM-DD.
func (p Period) Day(i int) string { return p.From.AddDate(0, 0, i).Format(time.DateOnly) }

// String returns the period as in a file name: 2026-03-01_2026-03-31.
func (p Period) String() string { return p.Day(0) + "_" + p.Day(p.Days-1) }
