package audit

import (
	"context"
	"fmt"

	"dg/platform/postgres/tenant"
)

// ExportID is the detail that the two entries of an export share. Those of older releases share the
// request id only.
const ExportID = "exportId"

// Counterparts finds the export.finished of each export.started among the entries, and the reverse,
// by the id of the given entry. A counterpart has only id, instant, action and details.
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
	var rows []struct {
		Of    int64
		Other entryRow `gorm:"embedded"`
	}
	// By hand, for speed: each is one step into an index. An export takes half an hour at most.
	err := tenant.Raw(l.db.Gorm.WithContext(ctx), organisationID, `/* audit.counterparts */
		select e.id as of, o.* from audit_entries e, lateral (
			select id, org_id, at, action, details from audit_entries o
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
		if others[r.Of], err = r.Other.entry(); err != nil {
			return nil, err
		}
	}
	return others, nil
}
