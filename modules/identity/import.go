package identity

import (
	"context"
	"errors"
	"fmt"

	"dg/platform/staging"

	"github.com/google/uuid"
)

// ImportedUser is a person as an import states it, checked by itself.
type ImportedUser struct {
	ID           uuid.UUID
	Email, Name  string
	PasswordHash *string // in PHC form, see ValidHash
	TOTPSecret   *string // as TOTPSecret returns it; two-step verification is on
	Locale       *string
}

// StagedUsers is the temporary table of an import's users.
const StagedUsers = "import_users"

// Import takes the users of an import.
type Import struct {
	stage *staging.Stage
	users *staging.Table
	keys  Keyring
}

// NewImport adds the module's tables to the stage. The keyring encrypts the secrets of two-step verification.
func NewImport(stage *staging.Stage, keys Keyring) *Import {
	return &Import{
		stage: stage, keys: keys,
		users: stage.Table(StagedUsers, "id uuid, email text, email_key text, name text, password_hash text, "+
			"totp_secret text, locale text"),
	}
}

// User stages a user.
func (i *Import) User(line int64, u ImportedUser) {
	if u.TOTPSecret != nil {
		sealed := i.keys.seal(u.ID.String(), *u.TOTPSecret)
		u.TOTPSecret = &sealed
	}
	i.users.Row(line).UUID(u.ID).Text(u.Email).Text(EmailKey(u.Email)).Text(u.Name).
		OptionalText(u.PasswordHash).OptionalText(u.TOTPSecret).OptionalText(u.Locale).Done()
}

// Rules returns what users keep.
func (i *Import) Rules() []staging.Rule {
	return []staging.Rule{
		staging.Once(i.users, "identity.import_user", "id", "id"),
		staging.Distinct(i.users, "identity.import_user.email", "email", "email_key", "", "users",
			"an e-mail that no other user has, in any case"),
	}
}

// Apply writes the staged users that are new or differ. Another password or two-step secret ends the person's sessions (a
// trigger's doing), and since when it is so is not known. It fails where a secret is stored under a key that is not the
// current one: all of them would look changed.
func (i *Import) Apply(ctx context.Context) ([]staging.Count, error) {
	if err := i.checkKey(ctx); err != nil {
		return nil, err
	}
	users, err := i.stage.Write(ctx, "user", i.users, `/* identity.import_users.replace */
		update users u
		set email = i.email, email_key = i.email_key, name = i.name, password_hash = i.password_hash,
		    totp_secret = i.totp_secret, locale = i.locale,
		    password_since = case when u.password_hash is not distinct from i.password_hash then u.password_since end,
		    totp_since = case when u.totp_secret is not distinct from i.totp_secret then u.totp_since end,
		    totp_last_step = case when u.totp_secret is not distinct from i.totp_secret then u.totp_last_step end
		from import_users i
		where u.id = i.id
		  and (u.email, u.email_key, u.name, u.password_hash, u.totp_secret, u.locale)
		      is distinct from (i.email, i.email_key, i.name, i.password_hash, i.totp_secret, i.locale)`,
		`/* identity.import_users.add */
		insert into users (id, email, email_key, name, password_hash, totp_secret, locale)
		select id, email, email_key, name, password_hash, totp_secret, locale from import_users i
		where not exists (select from users u where u.id = i.id)`)
	return []staging.Count{users}, err
}

// checkKey relies on ReencryptSecrets, which a program calls before it imports: what it could write it has written.
func (i *Import) checkKey(ctx context.Context) error {
	written := ""
	if i.keys.current != nil {
		written = i.keys.current.prefix() + "%"
	}
	var others bool
	err := i.stage.Tx().QueryRow(ctx, `/* identity.import_users.key */
		select exists (select from import_users i join users u on u.id = i.id where u.totp_secret like 'v1.%' and u.totp_secret not like $1)`,
		written).Scan(&others)
	if err != nil {
		return fmt.Errorf("identity: look for secrets of another key: %w", err)
	}
	if others {
		return errors.New("two-step secrets of these people are encrypted with a key that was not given: set DG_SECRET_KEY to it, then import again")
	}
	return nil
}
