-- +goose Up
-- The trigger on plays, cheaper for a statement of one row, and for one of many rows of one fork-day. What the protocol asks is
-- the same as in 20261121000500_segments.sql and 20261121000900_unseal.sql.
--
-- Most of what one row cost was the preparation of statements, not their work: the marks' tables are now asked only where
-- something is sealed, one row is told from several without comparing days, and several rows are compared with values.
-- The questions may be asked one after the other: the lock keeps the sealer away from the day and from its month.
-- +goose StatementBegin
create or replace function unseal_plays() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
        raise exception 'plays are written at READ COMMITTED, not at %', upper(current_setting('transaction_isolation'))
            using hint = 'Another snapshot would not see a segment that was sealed since it was taken.';
    end if;
    if tg_op = 'TRUNCATE' then
        insert into unsealed_days select fork_id, day from fork_days;
        insert into unsealed_months select fork_id, month from fork_months;
        return null;
    end if;

    select t.fork_id, (t.started_at at time zone 'UTC')::date, exists (select from touched offset 1)
      into the_fork, the_day, several from touched t;
    if not found then
        return null;
    end if;
    if several then
        several := exists (select from touched t where t.fork_id <> the_fork or (t.started_at at time zone 'UTC')::date <> the_day);
    end if;

    -- One fork-day: statements of scalars, since an array would be planned for each write.
    if not several then
        locked := pg_advisory_xact_lock_shared(uuid_hash(the_fork), the_day - date '2000-01-01');
        the_month := date_trunc('month', the_day::timestamp);
        select (select true from fork_days s where s.fork_id = the_fork and s.day = the_day),
               (select true from fork_months s where s.fork_id = the_fork and s.month = the_month)
          into day_sealed, month_sealed;
        -- Ifs within ifs: "and" would make one statement of both, and prepare it for each write.
        if day_sealed then
            if not exists (select from unsealed_days u where u.fork_id = the_fork and u.day = the_day) then
                insert into unsealed_days values (the_fork, the_day);
            end if;
        end if;
        if month_sealed then
            if not exists (select from unsealed_months u where u.fork_id = the_fork and u.month = the_month) then
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
           from (select distinct uuid_hash(f) as h, d from unnest(forks, days) t (f, d) order by 1, 2) t;
    end if;
    insert into unsealed_days
        select s.fork_id, s.day from unnest(forks, days) t (f, d) join fork_days s on s.fork_id = t.f and s.day = t.d
         where not exists (select from unsealed_days u where u.fork_id = s.fork_id and u.day = s.day);
    insert into unsealed_months
        select distinct s.fork_id, s.month from unnest(forks, days) t (f, d)
          join fork_months s on s.fork_id = t.f and s.month = date_trunc('month', t.d::timestamp)::date
         where not exists (select from unsealed_months u where u.fork_id = s.fork_id and u.month = s.month);
    return null;
end $$;
-- +goose StatementEnd
