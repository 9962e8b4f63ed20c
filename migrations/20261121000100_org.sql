-- +goose Up
-- Tables of modules/org and modules/identity.

create table organisations (
    id             uuid primary key,
    slug           text not null,
    name           text not null,
    plan           text not null check (plan in ('free', 'team', 'pro', 'enterprise')),
    reporting_mode text not null check (reporting_mode in ('pseudonymous', 'nominative')),
    -- Raised by triggers with every change to the organisation or its forks: what caches and ETags stand on.
    version        bigint not null default 1,
    -- Deferrable, here and below: a statement that swaps two slugs is right in its end, not in its middle.
    constraint organisations_slug_key unique (slug) deferrable
);

-- +goose StatementBegin
create function raise_organisation_version() returns trigger language plpgsql as $$
begin
    new.version := old.version + 1;
    return new;
end $$;
-- +goose StatementEnd
create trigger organisation_version before update on organisations
    for each row when (old.* is distinct from new.*) execute function raise_organisation_version();
alter table organisations enable always trigger organisation_version;

create table users (
    id            uuid primary key,
    email         text not null,
    -- The e-mail as it is compared: identity.EmailKey of it.
    email_key     text not null,
    name          text not null,
    password_hash text,
    totp_secret   text,
    locale        text,
    constraint users_email_key unique (email_key) deferrable
);

create table memberships (
    org_id  uuid not null references organisations,
    user_id uuid not null references users,
    role    text not null check (role in ('owner', 'admin', 'member')),
    primary key (org_id, user_id)
);
create index memberships_user on memberships (user_id);

create table players (
    id           uuid primary key,
    org_id       uuid not null references organisations,
    -- A small number of the player within the organisation, never given twice: what plays and groups refer to.
    ordinal      integer not null check (ordinal > 0),
    -- The pseudonym: random, see org.NewLabel.
    label        text not null,
    display_name text not null,
    unique (org_id, ordinal),
    unique (org_id, label)
);

-- The last ordinal given in an organisation. A table of its own: giving one is no change to the organisation.
create table player_ordinals (
    org_id uuid primary key references organisations,
    last   integer not null
);

create table player_groups (
    id     uuid primary key,
    org_id uuid not null references organisations,
    name   text not null,
    unique (org_id, id)
);

create table group_members (
    org_id   uuid not null,
    group_id uuid not null,
    player   integer not null, -- players.ordinal
    primary key (group_id, player),
    foreign key (org_id, group_id) references player_groups (org_id, id) on delete cascade,
    foreign key (org_id, player) references players (org_id, ordinal) on delete cascade
);
create index group_members_player on group_members (org_id, player);
