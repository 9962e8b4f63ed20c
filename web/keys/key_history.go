package keys

import (
	"context"
	"slices"
	"time"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/web/ui"
)

// keyEvent is an entry of the audit log: a refused use of the key, or an export with it.
type keyEvent struct {
	audit.Entry
	Label    string
	Reason   string
	Refusals any // number of refusals that the entry counts; nil for an export
}

// maxEvents bounds the events of each kind on a key's page.
const maxEvents = 5

// addHistory adds the key's predecessor, successor and events. Beyond apikeys.MaxListed keys, a
// predecessor has no name.
func (h *Handler) addHistory(
	ctx context.Context, p *ui.Principal, k apikeys.Key, view *keyView,
) error {
	keys, err := h.Keys.List(ctx, p.KeyActor())
	if err != nil {
		return err
	}
	if k.Replaces != "" {
		view.Replaces = &keyRow{Key: apikeys.Key{Name: "An older key"}, Path: p.KeyPath(k.Replaces, "")}
	}
	for _, other := range keys {
		if row := h.keyRow(p, other); k.Replaces == other.ID {
			view.Replaces = &row
		} else if other.Replaces == k.ID {
			view.Successor = &row
		}
	}
	view.EventsMissing, err = bounded(ctx, func(ctx context.Context) (err error) {
		view.Events, err = h.eventsOf(ctx, p, k)
		return err
	})
	return err
}

func (h *Handler) eventsOf(
	ctx context.Context, p *ui.Principal, k apikeys.Key,
) (events []keyEvent, err error) {
	for _, action := range []audit.Action{audit.KeyRefused, audit.ExportStarted} {
		entries, err := h.Log.List(ctx, p.Organisation.ID, audit.Page{
			Filter: audit.Filter{Action: action, KeyID: k.ID, From: k.CreatedAt.Add(-time.Hour)}, Limit: maxEvents,
		})
		if err != nil {
			return nil, err
		}
		if err := ui.AuthorizeAll(p, audit.ReadAuditLog, entries, audit.Entry.Owner); err != nil {
			return nil, err
		}
		display, _ := audit.DisplayOf(action)
		for _, e := range entries {
			events = append(events, keyEvent{e, display.Label,
				e.Reason.Words(), e.Details[audit.RefusalsDetail]})
		}
	}
	slices.SortStableFunc(events, func(a, b keyEvent) int { return b.At.Compare(a.At) })
	return events, nil
}
