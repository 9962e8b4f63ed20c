-- +goose Up
-- The trigger on plays, with a short way for statements that touched one day of one fork, as nearly all do. What the
-- protocol asks is the same as in 20261121000500_segments.sql: no other isolation level; first the locks, in order; then,
-- in a statement that sees what was sealed before they were taken, the marks.
-- A day or month that has a mark gets no other: while the writer holds its lock no sealer can take that one away.
-- +goose StatementBegin
create or replace function unseal_plays() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
    the_fork   uuid;
    the_day    date;
    several    boolean;
    locked     text;
    mark_day   boolean;
    mark_month boolean;
    forks      uuid[];
    days       date[];
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

    select t.fork_id, (t.started_at at time zone 'UTC')::date,
           exists (select from touched o where o.fork_id <> t.fork_id
                                           or (o.started_at at time zone 'UTC')::date <> (t.started_at at time zone 'UTC')::date)
      into the_fork, the_day, several from touched t limit 1;
    if not found then
        return null;
    end if;

    -- One fork-day. Two statements, of scalars: an array would be planned for each write, which costs more than its play.
    if not several then
        locked := pg_advisory_xact_lock_shared(uuid_hash(the_fork), the_day - date '2000-01-01');
        select exists (select from fork_days s where s.fork_id = the_fork and s.day = the_day)
               and not exists (select from unsealed_days u where u.fork_id = the_fork and u.day = the_day),
               exists (select from fork_months s where s.fork_id = the_fork and s.month = date_trunc('month', the_day::timestamp)::date)
               and not exists (select from unsealed_months u where u.fork_id = the_fork and u.month = date_trunc('month', the_day::timestamp)::date)
          into mark_day, mark_month;
        if mark_day then
            insert into unsealed_days values (the_fork, the_day);
        end if;
        if mark_month then
            insert into unsealed_months values (the_fork, date_trunc('month', the_day::timestamp)::date);
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
