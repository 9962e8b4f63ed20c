-- +goose Up
-- Links from other modules' tables to the tables of org and identity. A host program with views in
-- their place omits this file, and must delete the plays of a player whom it erases.

alter table memberships add foreign key (user_id) references users;

alter table forks add foreign key (org_id) references organisations;

alter table plays add foreign key (org_id, player)
    references players (org_id, ordinal) on delete cascade;

alter table audit_entries add foreign key (org_id) references organisations;
alter table audit_refusals add foreign key (org_id) references organisations;

alter table api_keys add foreign key (org_id) references organisations;
alter table api_key_usage add foreign key (org_id) references organisations;

-- Returns a member's role, and whether two-step verification is on. Both stay locked until the
-- transaction ends, for a change that depends on them. The function runs as the owner, because
-- locking a row requires the right to update it. It reveals one person in one organisation only.
-- +goose StatementBegin
create function lock_membership(organisation uuid, person uuid, out role text, out two_step boolean)
returns setof record
    language sql volatile security definer set search_path = public, pg_temp as $$
    /* org.lock_membership */
    select m.role, u.totp_secret is not null
      from public.memberships m join public.users u on u.id = m.user_id
     where m.org_id = organisation and m.user_id = person
       for share of m, u
$$;
-- +goose StatementEnd
revoke execute on function lock_membership(uuid, uuid) from public;
