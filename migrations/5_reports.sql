-- +goose Up
-- Tables of modules/reports: segments, a cache of finished days and months of plays. A day or month
-- is sealed if it has a segment and no mark.

-- The segments of UTC days.
create table fork_days (
    fork_id    uuid not null,
    org_id     uuid not null,
    day        date not null,
    -- segment.Sums, for statistics of all players.
    sums       bytea not null,
    -- Length of the segment's head, which has players, times and scores. The answers follow.
    head_bytes integer not null,
    segment    bytea not null,
    primary key (fork_id, day),
    foreign key (org_id, fork_id) references forks (org_id, id) on delete cascade
);
-- Uncompressed, so that reports can read the head without the rest. Sums stay in the row.
alter table fork_days alter column segment set storage external,
    alter column sums set storage plain;

-- The segments of months: the sums of each player, then each player's plays for reports on large
-- groups.
create table fork_months (
    fork_id    uuid not null,
    org_id     uuid not null,
    month      date not null, -- its first day
    head_bytes integer not null, -- length of the sums
    segment    bytea not null,
    primary key (fork_id, month),
    foreign key (org_id, fork_id) references forks (org_id, id) on delete cascade
);
alter table fork_months alter column segment set storage external;

-- Dirty marks: days and months whose plays have changed since they were sealed. There is no unique
-- key, so that concurrent inserts do not wait for each other.
create table unsealed_days (fork_id uuid not null, day date not null);
create index unsealed_days_key on unsealed_days (fork_id, day);
create table unsealed_months (fork_id uuid not null, month date not null);
create index unsealed_months_key on unsealed_months (fork_id, month);

-- Every statement that writes plays takes a shared advisory lock for each fork-day that it touched,
-- in the order of the keys. It then marks the fork-days that have a segment and no mark. If a sealer
-- holds the lock, the writer waits, and then marks the new segment. A later sealer fails to get the
-- lock, or sees the plays. While the writer holds the lock, no sealer can remove a mark.
--
-- The first key of a lock is the fork's hash, the second is the day. Forks with equal hashes only
-- wait for each other. A statement that touched many fork-days locks whole forks (the day is the
-- least integer), because all sessions share the lock table.
--
-- The function runs as its owner, so that every role that may write plays can mark days.
-- +goose StatementBegin
create function unseal_plays() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    the_fork     uuid;
    the_day      date;
    the_month    date;
    several      boolean;
    locked       text;
    day_sealed   boolean;
    month_sealed boolean;
    forks        uuid[];
    days         date[];
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'plays are written at READ COMMITTED, not at %',
            upper(current_setting('transaction_isolation'))
            using hint = 'Another snapshot would not see a segment that was sealed since.';
    end if;
    if tg_op = 'TRUNCATE' then
        insert into unsealed_days select fork_id, day from fork_days;
        insert into unsealed_months select fork_id, month from fork_months;
        return null;
    end if;

    select t.fork_id, (t.started_at at time zone 'UTC')::date,
           exists (select from touched offset 1)
      into the_fork, the_day, several from touched t;
    if not found then
        return null;
    end if;
    if several then
        several := exists (select from touched t where t.fork_id <> the_fork
                              or (t.started_at at time zone 'UTC')::date <> the_day);
    end if;

    -- Nearly all statements touch one fork-day. This branch uses scalars, because a statement with
    -- an array would be planned for each write.
    if not several then
        locked := pg_advisory_xact_lock_shared(uuid_hash(the_fork), the_day - date '2000-01-01');
        the_month := date_trunc('month', the_day::timestamp);
        select (select true from fork_days s where s.fork_id = the_fork and s.day = the_day),
               (select true from fork_months s
                 where s.fork_id = the_fork and s.month = the_month)
          into day_sealed, month_sealed;
        -- Nested ifs: "and" would make one statement of both, and prepare it for each write.
        if day_sealed then
            if not exists (select from unsealed_days u
                            where u.fork_id = the_fork and u.day = the_day) then
                insert into unsealed_days values (the_fork, the_day);
            end if;
        end if;
        if month_sealed then
            if not exists (select from unsealed_months u
                            where u.fork_id = the_fork and u.month = the_month) then
                insert into unsealed_months values (the_fork, the_month);
            end if;
        end if;
        return null;
    end if;

    select array_agg(fork_id), array_agg(day) into forks, days from (
        select distinct fork_id, (started_at at time zone 'UTC')::date as day from touched) t;
    if cardinality(forks) > 64 then
        perform pg_advisory_xact_lock_shared(h, -2147483648)
           from (select distinct uuid_hash(f) as h from unnest(forks) f order by 1) t;
    else
        perform pg_advisory_xact_lock_shared(h, d - date '2000-01-01')
           from (select distinct uuid_hash(f) as h, d
                   from unnest(forks, days) t (f, d) order by 1, 2) t;
    end if;
    insert into unsealed_days
        select s.fork_id, s.day
          from unnest(forks, days) t (f, d) join fork_days s on s.fork_id = t.f and s.day = t.d
         where not exists (select from unsealed_days u
                            where u.fork_id = s.fork_id and u.day = s.day);
    insert into unsealed_months
        select distinct s.fork_id, s.month
          from unnest(forks, days) t (f, d)
          join fork_months s
            on s.fork_id = t.f and s.month = date_trunc('month', t.d::timestamp)::date
         where not exists (select from unsealed_months u
                            where u.fork_id = s.fork_id and u.month = s.month);
    return null;
end $$;
-- +goose StatementEnd
create trigger unseal_insert after insert on plays referencing new table as touched
    for each statement execute function unseal_plays();
create trigger unseal_delete after delete on plays referencing old table as touched
    for each statement execute function unseal_plays();
-- An update touches the day that a play leaves and the one that it moves to.
create trigger unseal_update_old after update on plays referencing old table as touched
    for each statement execute function unseal_plays();
create trigger unseal_update_new after update on plays referencing new table as touched
    for each statement execute function unseal_plays();
create trigger unseal_truncate after truncate on plays
    for each statement execute function unseal_plays();
alter table plays enable always trigger unseal_insert, enable always trigger unseal_delete,
    enable always trigger unseal_update_old, enable always trigger unseal_update_new,
    enable always trigger unseal_truncate;
