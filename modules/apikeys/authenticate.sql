/* apikeys.authenticate */
-- $1: the key's id; $2: the SHA-256 of the secret; $3: whether the key was used outside /api/v1/;
-- $4: whether the installation has replicas.
--
-- Returns no row for an unknown id. reason is '' if the key is accepted. reset is the seconds until
-- one more request is accepted. remaining and reset are null if the window is full or missing, or
-- has timestamps in the future. apikeys.retryAfter tells these cases apart: only rejected requests
-- need it. If first_in_minute, apikeys.touch stores the last use: here it would make each use 20%
-- slower.
--
-- The count is exact, because updates of a window row are serialised. A revocation locks no window,
-- so that it cannot deadlock with this statement. width_bucket requires sorted instants, so it gets
-- the ring buffer from its head on.
with k as (
    select k.id, k.org_id, k.name, k.scopes, k.revoked_at, k.expires_at,
           case when $3::boolean then 'outside_api'
                when k.secret_hash <> $2::bytea then 'wrong_secret'
                when k.revoked_at <= clock_timestamp() then 'revoked'
                when k.expires_at <= clock_timestamp() then 'expired'
                when o.plan not in ('pro', 'enterprise') then 'plan'
           end as reason,
           k.last_used_at is null
             or k.last_used_at < date_trunc('minute', clock_timestamp()) as first_in_minute
      from api_keys k join organisations o on o.id = k.org_id
     where k.id = $1
), taken as (
    update api_key_windows w
       set instants[w.head] = clock_timestamp(), head = w.head % 120 + 1
      from k
     where w.key_id = k.id and w.refused = (k.reason is not null)
       and w.instants[w.head] <= clock_timestamp() - interval '60 s'
       and w.instants[(w.head + 118) % 120 + 1] <= clock_timestamp()
    returning w.instants, w.head,
      width_bucket(clock_timestamp() - interval '60 s',
                   w.instants[w.head:] || w.instants[:w.head - 1]) as free
)
select k.id, k.org_id::text, k.name, k.scopes, coalesce(k.reason, ''), k.revoked_at, k.expires_at,
       taken.free as remaining,
       extract(epoch from taken.instants[(taken.head + taken.free - 1) % 120 + 1]
                 + interval '60 s' - clock_timestamp())::float8 as reset,
       k.first_in_minute,
       -- postgres.PositionExpression
       case when $4::boolean then
       (case when not pg_is_in_recovery() then
         (select left(pg_walfile_name(lsn), 8) || ' ' || (lsn - '0/0')
            from pg_current_wal_insert_lsn() lsn) end)
       end as position
  from k left join taken on true
