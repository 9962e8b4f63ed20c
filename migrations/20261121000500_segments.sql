-- +goose Up
-- Segments of modules/reports: a cache of finished days and months that cannot lie. Which rows are true is decided by
-- the marks: a day or month counts as sealed when it has a segment and no mark.

create table fork_days (
    fork_id    uuid not null,
    org_id     uuid not null,
    day        date not null,
    -- The day's sums: what statistics of all players need of a day.
    sums       bytea not null,
    -- How many bytes of the segment are about players, times and scores; the answers follow.
    head_bytes integer not null,
    segment    bytea not null,
    primary key (fork_id, day),
    foreign key (org_id, fork_id) references forks (org_id, id) on delete cascade
);
alter table fork_days alter column segment set storage external, alter column sums set storage plain;

-- A month's players: plays, best score, last play, passed.
create table fork_months (
    fork_id uuid not null,
    org_id  uuid not null,
    month   date not null, -- its first day
    segment bytea not null,
    primary key (fork_id, month),
    foreign key (org_id, fork_id) references forks (org_id, id) on delete cascade
);
alter table fork_months alter column segment set storage external;

-- Marks. No unique key: writers only ever insert, so they never wait for each other.
create table unsealed_days (fork_id uuid not null, day date not null);
create index unsealed_days_key on unsealed_days (fork_id, day);
create table unsealed_months (fork_id uuid not null, month date not null);
create index unsealed_months_key on unsealed_months (fork_id, month);

-- Every statement that writes plays takes a shared lock for each fork-day that it touched, in order, and then marks those
-- that have a segment. A sealer that locked first is waited for, and its segment is then seen and marked; one that comes
-- later does not get the lock, or sees the rows. A statement that touched many days locks their forks instead: the lock
-- table is everybody's. The locks' first key is the fork's hash (two forks of one hash only wait for each other), the
-- second the day, or the least integer for the whole fork.
-- It runs as its owner: whoever may write plays may mark them.
-- +goose StatementBegin
create function unseal_plays() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
    forks uuid[];
    days  date[];
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'plays are written at READ COMMITTED, not at %', upper(current_setting('transaction_isolation'))
            using hint = 'Another snapshot would not see a segment that was sealed since it was taken.';
    end if;
    if tg_op = 'TRUNCATE' then
        insert into unsealed_days select fork_id, day from fork_days;
        insert into unsealed_months select fork_id, month from fork_months;
        return null;
    end if;
    select array_agg(fork_id), array_agg(day) into forks, days from (
        select distinct fork_id, (started_at at time zone 'UTC')::date as day from touched order by 1, 2) t;
    if forks is null then
        return null;
    end if;
    if cardinality(forks) > 64 then
        perform pg_advisory_xact_lock_shared(h, -2147483648)
           from (select distinct uuid_hash(f) as h from unnest(forks) f order by 1) t;
    else
        perform pg_advisory_xact_lock_shared(h, d - date '2000-01-01')
           from (select distinct uuid_hash(f) as h, d from unnest(forks, days) t (f, d) order by 1, 2) t;
    end if;
    -- Most writes are of today, where nothing is sealed.
    if exists (select from unnest(forks, days) t (f, d) where exists (select from fork_days s where s.fork_id = t.f and s.day = t.d)
                  or exists (select from fork_months s where s.fork_id = t.f and s.month = date_trunc('month', t.d)::date)) then
        insert into unsealed_days
            select t.f, t.d from unnest(forks, days) t (f, d) join fork_days s on s.fork_id = t.f and s.day = t.d;
        insert into unsealed_months
            select distinct t.f, s.month from unnest(forks, days) t (f, d)
              join fork_months s on s.fork_id = t.f and s.month = date_trunc('month', t.d)::date;
    end if;
    return null;
end $$;
-- +goose StatementEnd
-- An update touches the day that a play leaves and the one that it comes to.
create trigger unseal_insert after insert on plays referencing new table as touched
    for each statement execute function unseal_plays();
create trigger unseal_delete after delete on plays referencing old table as touched
    for each statement execute function unseal_plays();
create trigger unseal_update_old after update on plays referencing old table as touched
    for each statement execute function unseal_plays();
create trigger unseal_update_new after update on plays referencing new table as touched
    for each statement execute function unseal_plays();
create trigger unseal_truncate after truncate on plays
    for each statement execute function unseal_plays();
alter table plays enable always trigger unseal_insert, enable always trigger unseal_delete,
    enable always trigger unseal_update_old, enable always trigger unseal_update_new, enable always trigger unseal_truncate;
