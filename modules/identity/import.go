package identity

import (
	"github.com/google/uuid"

	"dg/modules/identity/twostep"
	"dg/platform/staging"
)

// ImportedUser is a person of an import. A person with a TOTP secret has two-step verification on.
type ImportedUser struct {
	ID           uuid.UUID `json:"id" validate:"required"`
	Email        string    `json:"email" validate:"text"`
	Name         string    `json:"name" validate:"text"`
	PasswordHash *string   `json:"passwordHash" validate:"omitempty,password_hash"`
	TOTPSecret   *string   `json:"totpSecret" validate:"omitempty,totp_secret"`
	Locale       *string   `json:"locale" validate:"omitempty,text"`
}

// UserKind is the kind of object that memberships in an import refer to.
var UserKind = staging.Kind{Noun: "user", Stored: "users"}

// Import takes the users of an import.
type Import struct {
	stage *staging.Stage
	users *staging.Table
	keys  Keyring
}

// NewImport adds the module's tables to the stage. The keyring encrypts the secrets of two-step
// verification.
func NewImport(stage *staging.Stage, keys Keyring) *Import {
	return &Import{
		stage: stage, keys: keys,
		users: stage.Table(UserKind,
			"id uuid, email text, email_key text, name text, password_hash text, "+
				"totp_secret text, locale text"),
	}
}

// User stages a user.
func (i *Import) User(line int64, u *ImportedUser) error {
	var encrypted *string
	if u.TOTPSecret != nil {
		secret, _ := twostep.ParseSecret(*u.TOTPSecret)
		encrypted = new(i.keys.encrypt(u.ID.String(), secret))
	}
	i.users.Add(line, u.ID, u.Email, EmailKey(u.Email), u.Name, u.PasswordHash, encrypted, u.Locale)
	return nil
}

// Rules returns the rules of users.
func (i *Import) Rules() []staging.Rule {
	return []staging.Rule{
		i.users.UniqueInFile("id", "id"),
		i.users.Unique("email", "email_key", "", "an e-mail that no other user has, in any case"),
	}
}
