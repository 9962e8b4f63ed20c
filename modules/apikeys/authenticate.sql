/* apikeys.authenticate */
-- $1 the key's id, $2 the SHA-256 of the secret, $3 whether it was used outside /api/v1/.
-- One row: the key, why it is refused (null: it is not), and the place that was taken in the last 60 seconds: how many
-- are left and in how many seconds there is one more (null: there was none). No row: an unknown id.
-- Two updates that wait for the same window row take turns, and the second one sees what the first wrote: the count is
-- exact. A revocation updates api_keys alone, so it cannot deadlock with this statement.
with k as (
    select k.id, k.org_id, k.name, k.scopes, o.version,
           case when $3::boolean then 'outside_api'
                when k.secret_hash <> $2::bytea then 'wrong_secret'
                when k.revoked_at is not null then 'revoked'
                when k.expires_at <= clock_timestamp() then 'expired'
                when o.plan not in ('pro', 'enterprise') then 'plan'
           end as reason
      from api_keys k join organisations o on o.id = k.org_id
     where k.id = $1
), place as (
    update api_key_windows w
       set instants[w.head] = clock_timestamp(), head = w.head % 120 + 1
      from k
     where w.key_id = k.id and w.refused = (k.reason is not null)
       and w.instants[w.head] <= clock_timestamp() - interval '60 s'
    returning (select array[count(*) filter (where i <= n.now - interval '60 s'),
                            extract(epoch from min(i) filter (where i > n.now - interval '60 s') + interval '60 s' - max(n.now))]::float8[]
                 from unnest(w.instants) i, (select clock_timestamp() as now offset 0) n) as budget
), used as (
    update api_keys a set last_used_at = date_trunc('milliseconds', clock_timestamp())
      from k, place
     where a.id = k.id and a.org_id = k.org_id and k.reason is null and a.revoked_at is null
       and (a.last_used_at is null or a.last_used_at < date_trunc('minute', clock_timestamp()))
)
select k.id, k.org_id::text, k.name, k.scopes, k.version, coalesce(k.reason, ''), place.budget,
       exists (select from api_key_windows w where w.key_id = k.id and w.refused = (k.reason is not null)) as has_window
  from k left join place on true
