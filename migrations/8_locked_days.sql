-- +goose Up
-- A transaction of many statements locks whole forks too, because all sessions share the lock
-- table. 5_reports.sql bounds only the fork-days of a statement, by 64. The bound of a transaction
-- is 128, because an update of 64 days counts both the old and the new days.
-- +goose StatementBegin
create or replace function unseal_plays() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    the_fork     uuid;
    the_day      date;
    the_month    date;
    several      boolean;
    locked       text;
    day_sealed   boolean;
    month_sealed boolean;
    -- How many fork-days the transaction has locked. A fork-day counts each time.
    counted      integer := coalesce(nullif(current_setting('dg.locked_days', true), ''), '0');
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
        if counted < 128 then
            locked := set_config('dg.locked_days', (counted + 1)::text, true);
            locked := pg_advisory_xact_lock_shared(uuid_hash(the_fork),
                the_day - date '2000-01-01');
        else
            locked := pg_advisory_xact_lock_shared(uuid_hash(the_fork), -2147483648);
        end if;
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
    counted := counted + cardinality(forks);
    perform set_config('dg.locked_days', least(counted, 128)::text, true);
    if cardinality(forks) > 64 or counted > 128 then
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
