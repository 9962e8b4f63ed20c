package apikeys

import (
	"context"
	"fmt"

	"gorm.io/gorm"

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
	return m.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := readKey(tx, actor.OrganisationID, id)
		if err != nil {
			return err
		}
		entry := actor.entry(audit.KeyRenamed, id, request)
		if err := m.reauthorize(tx, entry, authz.RenameKey, key.OrganisationID,
			m.orgs.SubjectIn); err != nil {
			return err
		}
		if label == (Label{key.Name, key.Description}) {
			return nil
		}
		err = keys(tx, "apikeys.rename", actor.OrganisationID).Where("id = ?", id).
			Updates(map[string]any{"name": label.Name, "description": label.Description}).Error
		if err != nil {
			return fmt.Errorf("apikeys: rename: %w", err)
		}
		entry.Details = changes(key, label)
		return m.log.AppendIn(tx, entry)
	})
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
