package audit

import (
	"context"
	"dg/platform/postgres/tenant"
	"encoding/json"
	"fmt"
	"time"
)

// ExportID is the detail that both entries of an export have. Those of older releases have none,
// and the same request id.
const ExportID = "exportId"

// counterpartRow is the other entry of an export.
type counterpartRow struct {
	Of      int64
	ID      int64
	At      time.Time
	Action  string
	Details json.RawMessage
}

// Counterparts finds the export.finished of each export.started among the entries, and the reverse.
// The key is the id of the given entry; an entry without a counterpart is not in the map. A
// counterpart has id, instant, action and details alone.
func (l *Log) Counterparts(
	ctx context.Context, organisationID string, entries []Entry,
) (map[int64]Entry, error) {
	var ids []int64
	for _, e := range entries {
		if e.Action == ExportStarted || e.Action == ExportFinished {
			ids = append(ids, e.ID)
		}
	}
	others := map[int64]Entry{}
	if len(ids) == 0 {
		return others, nil
	}
	var rows []counterpartRow
	// By hand, for speed: each is one step into an index. An export takes half an hour at most.
	err := tenant.Raw(l.db.Gorm.WithContext(ctx), organisationID, `/* audit.counterparts */
		select e.id as of, o.* from audit_entries e, lateral (
			select id, at, action, details from audit_entries o
			 where o.org_id = @org and o.request_id = e.request_id
			   and o.at between e.at - interval '1 h' and e.at + interval '1 h'
			   and o.action in ('export.started', 'export.finished') and o.action <> e.action
			   and o.actor_kind = e.actor_kind and o.actor_id = e.actor_id and o.target_id = e.target_id
			   and o.details->>'exportId' is not distinct from e.details->>'exportId'
			 order by abs(extract(epoch from o.at - e.at)) limit 1) o
		 where e.org_id = @org and e.id = any(?)`, &ids).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("audit: counterparts: %w", err)
	}
	for _, r := range rows {
		other, err := entryRow{
			ID:      r.ID,
			OrgID:   organisationID,
			At:      r.At,
			Action:  r.Action,
			Details: r.Details,
		}.entry()
		if err != nil {
			return nil, err
		}
		others[r.Of] = other
	}
	return others, nil
}
