package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"gorm.io/gorm"

	"dg/platform/format"
	"dg/platform/postgres/tenant"
)

// exportBatchSize bounds the entries that an export holds in memory.
const exportBatchSize = 1000

type exportedEntry struct {
	ID             string `json:"entryId"`
	OrganisationID string `json:"organisationId"`
	At             string `json:"at"`
	Actor
	Action Action `json:"action"`
	Reason Reason `json:"reason"`
	Target
	Details map[string]any `json:"details"`
	Request
}

// ExportBefore writes the entries with At < before to w, newest first, each as a line of JSON. It
// returns the number of entries written.
func (l *Log) ExportBefore(
	ctx context.Context, organisationID string, before time.Time, w io.Writer,
) (written int64, err error) {
	encoder := json.NewEncoder(w)
	for page := (Page{Filter: Filter{To: before}, Limit: exportBatchSize}); ; {
		batch, err := l.List(ctx, organisationID, page)
		if err != nil || len(batch) == 0 {
			return written, err
		}
		for _, e := range batch {
			line := exportedEntry{e.Ref(), e.OrganisationID, format.Instant(e.At), e.Actor, e.Action, e.Reason,
				e.Target, e.Details, e.Request}
			if err := encoder.Encode(line); err != nil {
				return written, fmt.Errorf("audit: export: %w", err)
			}
		}
		written += int64(len(batch))
		page.Before = batch[len(batch)-1].ID
	}
}

// Prune removes the entries with At < before and adds the entry LogPruned, in one transaction. It
// fails, and removes nothing, unless exported is the number of entries to remove. The pool must
// connect as the owner of the tables: the serving role cannot delete entries.
func (l *Log) Prune(
	ctx context.Context, organisationID string, before time.Time, exported int64, request Request,
) error {
	return l.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		removed := int64(0)
		for _, table := range []string{"audit_entries", "audit_refusals"} {
			result := tenant.Exec(tx, organisationID,
				"/* audit.prune */ delete from "+table+" where org_id = @org and at < ?", before)
			if result.Error != nil {
				return fmt.Errorf("audit: prune: %w", result.Error)
			}
			removed += result.RowsAffected
		}
		if removed != exported {
			return fmt.Errorf(
				"audit: %d entries were exported and %d are there: nothing of this log was removed",
				exported, removed,
			)
		}
		return l.AppendIn(tx, Entry{
			OrganisationID: organisationID, Actor: OperatorActor, Action: LogPruned, Request: request,
			Target:  Target{Kind: "organisation", ID: organisationID},
			Details: map[string]any{"before": before.Format(time.DateOnly), "entries": exported},
		})
	})
}
