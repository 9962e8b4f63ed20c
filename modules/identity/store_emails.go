package identity

import (
	"context"
	"fmt"

	"dg/platform/postgres"
)

// unusualEmails returns the people whose e-mail may be invalid or have another key than the stored.
func unusualEmails(db transaction) (found []emailRow, _ error) {
	err := db.Scopes(postgres.Tag("identity.unusualEmails")).
		Where("email !~ ? or email ilike '%xn--%' or email_key <> lower(email)", validEmail).Order("id").Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("identity: unusual e-mails: %w", err)
	}
	return found, nil
}

type emailRow struct{ ID, Email, EmailKey string }

func (emailRow) TableName() string { return "users" }

// RewriteEmailKeys replaces keys of earlier versions. One that another person has stays:
// CheckEmails names it. The pool must connect as the owner of the tables.
func RewriteEmailKeys(ctx context.Context, owner *postgres.DB) error {
	return owner.Gorm.WithContext(ctx).Transaction(func(tx transaction) error {
		found, err := unusualEmails(tx)
		if err != nil {
			return err
		}
		for _, r := range found {
			key := EmailKey(r.Email)
			if key == r.EmailKey {
				continue
			}
			_, err := updateRows(tx, "identity.rewriteEmailKey", &emailRow{}, map[string]any{"email_key": key},
				"id = ? and email = ? and not exists (select from users o where o.email_key = ?)",
				r.ID, r.Email, key)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// CheckEmails returns a warning for each account whose person cannot sign in because of the e-mail.
func CheckEmails(ctx context.Context, db *postgres.DB) (warnings []string, _ error) {
	found, err := unusualEmails(db.Gorm.WithContext(ctx))
	for _, r := range found {
		if _, ok := ParseEmail(r.Email); !ok {
			warnings = append(warnings, fmt.Sprintf("no sign-in form takes the e-mail %q of account %s: "+
				"import the user with another one", r.Email, r.ID))
		} else if EmailKey(r.Email) != r.EmailKey {
			warnings = append(warnings, fmt.Sprintf("another account has the e-mail %q of account %s in "+
				"another form: import one of them with another e-mail, or delete it with dg account delete",
				r.Email, r.ID))
		}
	}
	return warnings, err
}
