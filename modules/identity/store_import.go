package identity

import (
	"context"
	"errors"
	"fmt"
)

// Apply writes the staged users that are new or differ. A different password or two-step secret
// ends the person's sessions by a trigger. Apply fails if a stored secret is not under the current
// key, because it would seem to differ. By hand, here and below: the stage is on pgx, for speed.
func (i *Import) Apply(ctx context.Context) error {
	if err := i.checkKey(ctx); err != nil {
		return err
	}
	return i.stage.Write(ctx, i.users, `/* identity.import_users.update */
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
		`/* identity.import_users.insert */
		insert into users (id, email, email_key, name, password_hash, totp_secret, locale)
		select id, email, email_key, name, password_hash, totp_secret, locale from import_users i
		where not exists (select from users u where u.id = i.id)`)
}

// checkKey refuses secrets under another key. ReencryptSecrets runs before an import.
func (i *Import) checkKey(ctx context.Context) error {
	written := ""
	if i.keys.current != nil {
		written = i.keys.current.prefix() + "%"
	}
	var others bool
	err := i.stage.Tx().QueryRow(ctx, `/* identity.import_users.key */
		select exists (select from import_users i join users u on u.id = i.id
		  where u.totp_secret like 'v1.%' and u.totp_secret not like $1)`,
		written).Scan(&others)
	if err != nil {
		return fmt.Errorf("identity: look for secrets of another key: %w", err)
	}
	if others {
		return errors.New(
			"two-step secrets of imported users are stored under another key: set DG_SECRET_KEY " +
				"to that key, then import again",
		)
	}
	return nil
}
