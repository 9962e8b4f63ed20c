/* apikeys.authenticate */
-- $1 the key's id, $2 the SHA-256 of the secret, $3 whether it was used outside /api/v1/.
-- One row: the key, why it is refused (null: it is not), and the place that was taken in the last 60 seconds: how many
-- are left and in how many seconds there is one more (null: there was none); in how many seconds the oldest place is free,
-- where none was taken; and whether this is its first use in this minute, which is kept by a statement of its own: here its
-- plan would cost every use a fifth more. No row: an unknown id. Neither place nor wait: there is no window, or it holds
-- stamps of the future because the clock was set back, and has to be mended (mendWindowsSQL) before anything is counted.
-- Two updates that wait for the same window row take turns, and the second one sees what the first wrote: the count is
-- exact. A revocation updates api_keys alone, so it cannot deadlock with this statement. What is left is found by halving the
-- ring, which from its head on is in order. The wait is that of the snapshot: where it is over, another has taken the place
-- meanwhile, and the wait has to be read again.
with k as (
    select k.id, k.org_id, k.name, k.scopes, o.version,
           case when $3::boolean then 'outside_api'
                when k.secret_hash <> $2::bytea then 'wrong_secret'
                when k.revoked_at is not null then 'revoked'
                when k.expires_at <= clock_timestamp() then 'expired'
                when o.plan not in ('pro', 'enterprise') then 'plan'
           end as reason,
           k.last_used_at is null or k.last_used_at < date_trunc('minute', clock_timestamp()) as unused
      from api_keys k join organisations o on o.id = k.org_id
     where k.id = $1
), place as (
    update api_key_windows w
       set instants[w.head] = clock_timestamp(), head = w.head % 120 + 1
      from k
     where w.key_id = k.id and w.refused = (k.reason is not null)
       and w.instants[w.head] <= clock_timestamp() - interval '60 s'
       and w.instants[(w.head + 118) % 120 + 1] <= clock_timestamp()
    returning (select array[n.free, extract(epoch from n.oldest[n.free + 1] + interval '60 s' - n.now)]::float8[]
                 from (select m.*, width_bucket(m.now - interval '60 s', m.oldest) as free
                         from (select w.instants[w.head:] || w.instants[:w.head - 1] as oldest, clock_timestamp() as now offset 0) m offset 0) n) as budget
)
select k.id, k.org_id::text, k.name, k.scopes, k.version, coalesce(k.reason, ''), place.budget,
       case when place.budget is null then
           (select extract(epoch from greatest(w.instants[w.head], 'epoch') + interval '60 s' - clock_timestamp())::float8
              from api_key_windows w
             where w.key_id = k.id and w.refused = (k.reason is not null) and not clock_timestamp() < any (w.instants)) end as wait,
       k.unused
  from k left join place on true
