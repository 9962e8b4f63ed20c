package identity

import (
	"context"

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
}

// NewImport adds the module's tables to the stage.
func NewImport(stage *staging.Stage) *Import {
	return &Import{
		stage: stage,
		users: stage.Table(StagedUsers, "id uuid, email text, email_key text, name text, password_hash text, "+
			"totp_secret text, locale text"),
	}
}

// User stages a user.
func (i *Import) User(line int64, u ImportedUser) {
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
// trigger's doing), and since when it is so is not known.
func (i *Import) Apply(ctx context.Context) ([]staging.Count, error) {
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
