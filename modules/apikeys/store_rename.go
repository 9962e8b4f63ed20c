package apikeys

import (
	"context"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
)

// Label is the name and description of a key.
type Label struct {
	Name        string `json:"name" validate:"text,printable"`
	Description string `json:"description" validate:"omitempty,text,printable"` // "": none
}

// Rename changes the name and description of a key of the actor's organisation, with an audit entry
// unless the label is unchanged. Earlier entries keep the name of their time.
//
// Errors: apperr.AccessDenied, apperr.NotFound (also for another organisation's key),
// apperr.Validation with the field.
func (s *Service) Rename(
	ctx context.Context, actor Actor, id string, label Label, request audit.Request,
) error {
	if err := input.Check(label); err != nil {
		return err
	}
	entry := actor.entry(audit.KeyRenamed, id, request)
	return s.change(ctx, actor, authz.RenameKey, entry,
		func(tx *gorm.DB, key Key) (map[string]any, error) {
			if label == (Label{key.Name, key.Description}) {
				return nil, nil
			}
			err := keys(tx, "apikeys.rename", key.OrganisationID).Where("id = ?", id).
				Updates(map[string]any{"name": label.Name, "description": label.Description}).Error
			return renameDetails(key, label), apperr.Annotate(err, "apikeys: rename")
		})
}

// renameDetails returns the changed fields for the audit entry.
func renameDetails(key Key, label Label) map[string]any {
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
