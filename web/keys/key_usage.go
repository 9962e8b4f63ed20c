package keys

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dg/modules/apikeys"
	"dg/modules/reports"
	"dg/web/ui"
)

type usageView struct {
	Summary             string
	HasRequests         bool
	Chart               ui.Panel
	Ticks               []ui.Tick
	Days                []usageDay
	HasRefusedOrLimited bool
}

// usageDay is a day of the chart. AcceptedBar is drawn over Bar, which has all requests. Left is
// where the day begins.
type usageDay struct {
	apikeys.Usage
	Name, Label, Bar, AcceptedBar string
	Left                          int
}

// usageTimeout bounds the wait for usage and events of keys, which screens can omit.
const usageTimeout = time.Second

// bounded calls read, and reports whether it exceeded usageTimeout: a lock on the usage table or a
// long audit log must not prevent the revocation of a key.
func bounded(ctx context.Context, read func(context.Context) error) (late bool, err error) {
	boundedCtx, cancel := context.WithTimeout(ctx, usageTimeout)
	defer cancel()
	err = read(boundedCtx)
	if boundedCtx.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

// usageOf returns the usage by key id, or nil after usageTimeout.
func (h *Handler) usageOf(
	ctx context.Context, p *ui.Principal, keys []apikeys.Key,
) (usage map[string][]apikeys.Usage, err error) {
	_, err = bounded(ctx, func(ctx context.Context) (err error) {
		usage, err = h.Keys.UsageOf(ctx, p.KeyActor(), keys)
		return err
	})
	return usage, err
}

// newUsageView returns nil if days is nil, which means unknown. Otherwise days must not be empty.
func newUsageView(days []apikeys.Usage) *usageView {
	if days == nil {
		return nil
	}
	period := reports.Period{From: days[0].Day, Days: len(days)}
	requests, all := totals(days)
	highest := slices.Max(requests)
	var sum apikeys.Usage
	for _, d := range days {
		sum.Accepted += d.Accepted
		sum.Refused += d.Refused
		sum.Limited += d.Limited
	}
	v := &usageView{
		Summary:             requestsLabel(sum),
		HasRequests:         all > 0,
		HasRefusedOrLimited: sum.Refused+sum.Limited > 0,
		Chart:               ui.NewPanel(period, 0, highest, (highest+2)/3, ui.Count),
		Ticks:               ui.Ticks(period),
	}
	for i, d := range days {
		v.Days = append(v.Days, usageDay{
			Usage:       d,
			Name:        ui.Weekday(d.Day),
			Label:       requestsLabel(d),
			Bar:         v.Chart.Bar(i, 1, usageBarWidth, total(d)),
			AcceptedBar: v.Chart.Bar(i, 1, usageBarWidth, d.Accepted),
			Left:        ui.DayWidth * i,
		})
	}
	return v
}

const usageBarWidth = 60 // percent of the width of a day

func totals(days []apikeys.Usage) (requests []int64, sum int64) {
	for _, d := range days {
		requests = append(requests, total(d))
		sum += total(d)
	}
	return requests, sum
}

func total(d apikeys.Usage) int64 { return d.Accepted + d.Refused + d.Limited }

func requestsLabel(d apikeys.Usage) string {
	label := fmt.Sprintf("%s accepted, %s refused, %s limited", ui.Count(d.Accepted),
		ui.Count(d.Refused), ui.Count(d.Limited))
	return strings.NewReplacer(", 0 refused", "", ", 0 limited", "").Replace(label)
}
