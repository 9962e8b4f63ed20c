-- +goose Up
-- Tables of modules/games.

-- Games, of which forks are copies. Games belong to no organisation.
create table games (
    id    uuid primary key,
    slug  text not null,
    title text not null
);

-- Forks: organisations' copies of games, which are played and reported on.
create table forks (
    id                      uuid primary key,
    org_id                  uuid not null,
    game_id                 uuid not null references games,
    slug                    text not null,
    title                   text not null,
    major                   integer not null,
    status                  text not null check (status in ('active', 'archived')),
    visibility              text not null
        check (visibility in ('public', 'organization', 'restricted')),
    source_locale           text not null check (source_locale in ('en', 'fr', 'es', 'pt', 'de')),
    deployed_release_number integer,
    suspended               boolean not null,
    -- May contain secrets, so the serving role cannot read this column.
    configuration           jsonb,
    created_at              timestamptz(3) not null,
    updated_at              timestamptz(3) not null,
    unique (org_id, id),
    constraint forks_slug_key unique (org_id, slug) deferrable
);
create index forks_list on forks (org_id, created_at, id);

-- Every change of a fork gives its organisation a new version.
-- +goose StatementBegin
create function raise_version_of_forks() returns trigger language plpgsql as $$
begin
    if tg_op = 'TRUNCATE' then
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0);
    elsif tg_op = 'UPDATE' then
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0)
         where id in (select org_id from changed union select org_id from former);
    else
        update organisations set version = uuid_hash_extended(gen_random_uuid(), 0)
         where id in (select org_id from changed);
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger fork_insert after insert on forks referencing new table as changed
    for each statement execute function raise_version_of_forks();
create trigger fork_update after update on forks
    referencing old table as former new table as changed
    for each statement execute function raise_version_of_forks();
create trigger fork_delete after delete on forks referencing old table as changed
    for each statement execute function raise_version_of_forks();
create trigger fork_truncate after truncate on forks
    for each statement execute function raise_version_of_forks();
alter table forks enable always trigger fork_insert, enable always trigger fork_update,
    enable always trigger fork_delete, enable always trigger fork_truncate;

-- Plays, which reports count. The order of the columns avoids padding in millions of rows.
create table plays (
    started_at     timestamptz(3) not null,
    completed_at   timestamptz(3),
    player         integer not null, -- players.ordinal
    release_number integer,
    score          smallint check (score between 0 and 10000), -- hundredths of a percent
    passed         boolean,
    id             uuid not null primary key,
    org_id         uuid not null,
    fork_id        uuid not null,
    -- One byte for each answer (games.PackAnswers), at most 100 for each skill.
    answers        bytea not null check (octet_length(answers) <= 12800),
    check ((completed_at is null) = (score is null) and (completed_at is null) = (passed is null)),
    check (completed_at >= started_at),
    foreign key (org_id, fork_id) references forks (org_id, id)
);
-- Serves reports on a fork and period, in the order of an export.
create index plays_period on plays (fork_id, started_at, id);
-- Finds the plays of a group's members or of an erased player.
create index plays_player on plays (org_id, player, fork_id, started_at);
