package apikeys

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/authz"
)

func (m *Manager) rename(
	ctx context.Context, organisationID, id string, label Label, entry audit.Entry,
) error {
	return m.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := readKey(tx, organisationID, id)
		if err != nil {
			return err
		}
		if err := m.reauthorize(tx, entry, authz.RenameKey, key.OrganisationID,
			m.orgs.SubjectIn); err != nil {
			return err
		}
		if label == (Label{key.Name, key.Description}) {
			return nil
		}
		err = keys(tx, "apikeys.rename", organisationID).Where("id = ?", id).
			Updates(map[string]any{"name": label.Name, "description": label.Description}).Error
		if err != nil {
			return fmt.Errorf("apikeys: rename: %w", err)
		}
		entry.Details = changes(key, label)
		return m.log.AppendIn(tx, entry)
	})
}
