package apikeys

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/authz"
)

func (s *Service) rename(
	ctx context.Context, organisationID, id string, label Label, entry audit.Entry,
) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := s.key(tx, organisationID, id)
		if err != nil {
			return err
		}
		if err := s.reauthorize(tx, entry, authz.RenameKey, key.OrganisationID,
			s.orgs.SubjectIn); err != nil {
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
		return s.log.AppendIn(tx, entry)
	})
}
