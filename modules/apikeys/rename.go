package apikeys

import (
	"context"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/input"
)

// Label is the name and description of a key.
type Label struct {
	Name        string `json:"name" validate:"text,printable"`
	Description string `json:"description" validate:"omitempty,text,printable"` // "": none
}

// Rename changes the name and description of a key of the actor's organisation, with an audit entry
// unless the label is unchanged. Every entry keeps the name of its time.
//
// Errors: apperr.AccessDenied, apperr.NotFound (also for another organisation's key),
// apperr.Validation with the field.
func (m *Manager) Rename(
	ctx context.Context, actor Actor, id string, label Label, request audit.Request,
) error {
	if err := m.authorize(actor.Subject, authz.RenameKey, actor.OrganisationID); err != nil {
		return err
	}
	if err := input.Check(label); err != nil {
		return err
	}
	return m.rename(ctx, actor.OrganisationID, id, label,
		actor.entry(audit.KeyRenamed, id, request))
}

// changes are the details of a renaming.
func changes(key Key, label Label) map[string]any {
	details := map[string]any{}
	if label.Name != key.Name {
		details["oldName"] = key.Name
		details["newName"] = label.Name
	} else {
		details["name"] = key.Name
	}
	if label.Description != key.Description {
		details["description"] = label.Description
	}
	return details
}
