-- Writes people whose fields differ. A new password or two-step secret clears the columns of the
-- old one, and a trigger ends the person's sessions. The unique constraint is deferred to the end
-- of the statement, so that two people may swap e-mails.
with replaced as (
    update users o
    set email = i.email, email_key = i.email_key, name = i.name, locale = i.locale,
        password_hash = i.password_hash, totp_secret = i.totp_secret,
        password_since = case when o.password_hash is not distinct from i.password_hash
                              then o.password_since end,
        totp_since = case when o.totp_secret is not distinct from i.totp_secret
                          then o.totp_since end,
        totp_last_step = case when o.totp_secret is not distinct from i.totp_secret
                              then o.totp_last_step end
    from {rows} i
    where o.id = i.id
      and (o.email, o.email_key, o.name, o.locale, o.password_hash, o.totp_secret)
          is distinct from
          (i.email, i.email_key, i.name, i.locale, i.password_hash, i.totp_secret)
    returning 1
), added as (
    insert into users (id, email, email_key, name, locale, password_hash, totp_secret)
    select id, email, email_key, name, locale, password_hash, totp_secret from {rows} i
    where not exists (select from users o where o.id = i.id)
    returning 1
)
select (select count(*) from added), (select count(*) from replaced)
