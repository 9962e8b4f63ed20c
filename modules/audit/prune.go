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
	ID             int64  `json:"entryId,string"`
	OrganisationID string `json:"organisationId"`
	At             string `json:"at"`
	entryRow
}

// ExportBefore writes the entries of the organisation's log from before an instant as lines of JSON,
// newest first, and returns their number.
func (l *Log) ExportBefore(
	ctx context.Context, organisationID string, before time.Time, w io.Writer,
) (entries int64, err error) {
	lines := json.NewEncoder(w)
	for page := (Page{Filter: Filter{To: before}, Limit: exportBatch}); ; {
		batch, err := l.rows(ctx, organisationID, page)
		if err != nil || len(batch) == 0 {
			return entries, err
		}
		for _, r := range batch {
			line := exportedEntry{r.ID, r.OrgID, instant.Format(r.At), r}
			if err := lines.Encode(line); err != nil {
				return entries, fmt.Errorf("audit: export: %w", err)
			}
		}
		entries += int64(len(batch))
		page.Before = batch[len(batch)-1].ID
	}
}
