package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"dg/platform/instant"
)

// exportBatch is the number of entries that an export holds in memory.
const exportBatch = 1000

// exportedEntry is an entry in an export, a line of JSON with all fields.
type exportedEntry struct {
	ID             int64          `json:"entryId,string"`
	OrganisationID string         `json:"organisationId"`
	At             string         `json:"at"`
	ActorKind      ActorKind      `json:"actorKind"`
	ActorID        string         `json:"actorId"`
	ActorName      string         `json:"actorName"`
	Action         Action         `json:"action"`
	Reason         Reason         `json:"reason"`
	TargetKind     string         `json:"targetKind"`
	TargetID       string         `json:"targetId"`
	Details        map[string]any `json:"details"`
	Method         string         `json:"method"`
	Path           string         `json:"path"`
	Address        string         `json:"address"`
	UserAgent      string         `json:"userAgent"`
	RequestID      string         `json:"requestId"`
}

func (e Entry) exported() exportedEntry {
	return exportedEntry{
		ID:             e.ID,
		OrganisationID: e.OrganisationID,
		At:             instant.Format(e.At),
		ActorKind:      e.Actor.Kind,
		ActorID:        e.Actor.ID,
		ActorName:      e.Actor.Name,
		Action:         e.Action,
		Reason:         e.Reason,
		TargetKind:     e.Target.Kind,
		TargetID:       e.Target.ID,
		Details:        e.Details,
		Method:         e.Request.Method,
		Path:           e.Request.Path,
		Address:        e.Request.Address,
		UserAgent:      e.Request.UserAgent,
		RequestID:      e.Request.ID,
	}
}

// ExportBefore writes the entries of the organisation's log from before an instant as lines of JSON,
// newest first, and returns their number.
func (l *Log) ExportBefore(
	ctx context.Context, organisationID string, before time.Time, w io.Writer,
) (entries int64, err error) {
	lines := json.NewEncoder(w)
	for page := (Page{Filter: Filter{To: before}, Limit: exportBatch}); ; {
		batch, err := l.List(ctx, organisationID, page)
		if err != nil || len(batch) == 0 {
			return entries, err
		}
		for _, e := range batch {
			if err := lines.Encode(e.exported()); err != nil {
				return entries, fmt.Errorf("audit: export: %w", err)
			}
		}
		entries += int64(len(batch))
		page.Before = batch[len(batch)-1].ID
	}
}
