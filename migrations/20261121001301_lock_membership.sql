-- +goose Up
-- What a member is at the moment, for a change that rests on it: the role, and whether two-step verification is on, both kept
-- as they are until the transaction ends. A function of the owner's, because a lock on a row wants the right to change it,
-- which the serving role does not have. It tells of one person in one organisation.
-- +goose StatementBegin
create function lock_membership(organisation uuid, person uuid, out role text, out two_step boolean)
returns setof record language sql volatile security definer set search_path = public, pg_temp as $$
    /* org.lock_membership */
    select m.role, u.totp_secret is not null
      from public.memberships m join public.users u on u.id = m.user_id
     where m.org_id = organisation and m.user_id = person
       for share of m, u
$$;
-- +goose StatementEnd
revoke execute on function lock_membership(uuid, uuid) from public;
