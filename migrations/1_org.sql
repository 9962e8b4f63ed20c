-- +goose Up
-- Tables of modules/org. A host program with its own organisations and players has views instead.

-- An organisation is a tenant. migrations.TenantColumns lists the tables with rows of a tenant.
create table organisations (
    id             uuid primary key,
    slug           text not null,
    name           text not null,
    plan           text not null check (plan in ('free', 'team', 'pro', 'enterprise')),
    reporting_mode text not null check (reporting_mode in ('pseudonymous', 'nominative')),
    -- The version is random, and new with each change of the organisation or its forks. Caches and
    -- ETags depend on it. A counter would repeat after a failover or a restore.
    version        bigint not null default 1,
    -- The constraint is deferrable, because an import may swap two slugs.
    constraint organisations_slug_key unique (slug) deferrable
);

-- +goose StatementBegin
create function raise_organisation_version() returns trigger language plpgsql as $$
begin
    new.version := uuid_hash_extended(gen_random_uuid(), 0);
    return new;
end $$;
-- +goose StatementEnd
create trigger organisation_version_first before insert on organisations
    for each row execute function raise_organisation_version();
create trigger organisation_version before update on organisations
    for each row when (old.* is distinct from new.*) execute function raise_organisation_version();
alter table organisations enable always trigger organisation_version_first,
    enable always trigger organisation_version;

-- A person's role in an organisation decides what the person may do there.
create table memberships (
    org_id  uuid not null references organisations,
    user_id uuid not null,
    role    text not null check (role in ('owner', 'admin', 'member')),
    primary key (org_id, user_id)
);
create index memberships_user on memberships (user_id);

-- Players. Reports show the label or, in nominative organisations, the name.
create table players (
    id           uuid primary key,
    org_id       uuid not null references organisations,
    -- A small number, never reused within an organisation. Plays and groups refer to it.
    ordinal      integer not null check (ordinal > 0),
    -- The random pseudonym of org.NewLabel.
    label        text not null,
    display_name text not null,
    unique (org_id, ordinal),
    unique (org_id, label)
);

-- The last ordinal of an organisation. The table is separate, because a new player must not change
-- the organisation's version.
create table player_ordinals (
    org_id uuid primary key references organisations,
    last   integer not null
);

-- Groups of players. A report may cover the players of one group.
create table player_groups (
    id     uuid primary key,
    org_id uuid not null references organisations,
    name   text not null,
    unique (org_id, id)
);
-- Lists of groups are ordered by name.
create index player_groups_name on player_groups (org_id, name, id);

-- The players of a group. org_id ensures that group and player belong to the same organisation.
create table group_members (
    org_id   uuid not null,
    group_id uuid not null,
    player   integer not null, -- players.ordinal
    primary key (group_id, player),
    foreign key (org_id, group_id) references player_groups (org_id, id) on delete cascade,
    foreign key (org_id, player) references players (org_id, ordinal) on delete cascade
);
create index group_members_player on group_members (org_id, player);
