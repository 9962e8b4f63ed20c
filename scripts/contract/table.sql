-- Stores organisations for table.sh: table-zero without forks, table-none without plays, table-one with an unfinished play on the
-- first of 41 days, in no whole week.
-- Gives players of the demo's nominative organisation 39 odd names. Keys of the four have the secret :'secret' and ids of 22 times z, n, o or r.
insert into organisations (id, slug, name, plan, reporting_mode) values
    ('00000000-0000-4000-8000-00000000000a', 'table-none', 'None', 'pro', 'pseudonymous'),
    ('00000000-0000-4000-8000-00000000000b', 'table-one', 'One', 'pro', 'pseudonymous');
insert into forks
    select gen_random_uuid(), o.id, game_id, 'fork', 'Früh', 1, f.status, f.visibility, f.source_locale, 1, false, null, now() - interval '90 days', now() - interval '90 days'
    from organisations o, (select * from forks limit 1) f where o.slug like 'table-%';
insert into players (id, org_id, ordinal, label, display_name) values
    (gen_random_uuid(), '00000000-0000-4000-8000-00000000000b', 1, 'Player-table1', 'One');
insert into plays (started_at, player, release_number, id, org_id, fork_id, answers)
    select now() - interval '40 days', 1, 1, gen_random_uuid(), org_id, id, '' from forks where org_id = '00000000-0000-4000-8000-00000000000b';

insert into organisations (id, slug, name, plan, reporting_mode) values
    ('00000000-0000-4000-8000-00000000000c', 'table-zero', 'No fork', 'pro', 'pseudonymous');

-- No name has a control character, because dg refuses such names.
with odd as (select name, row_number() over () as n from unnest(array[
    'Doe, Jane', '"', '""', 'Jane "Jay" Doe', '"Jane"', 'a","b', '=1+1', '=HYPERLINK("https://example.org","x")', '+49 30', '-1', '@sum', '＝1',
    '''quoted''', 'O''Neill; "x", y', 'NA', 'null', 'NULL', 'NaN', 'None', '\N', '\.', '\', 'TRUE', '007', '1e5', '2024-01-01', ' blank ',
    U&'a\2028b', U&'a\2029b', U&'\FEFFmark', U&'\202Egnp.exe', 'مريم الزهراء', 'שרה כהן; מנהלת', '山田 太郎', 'Zoë 👩🏽‍🚀 Park', U&'e\0301', '$(id) `id` %s ${x}',
    '{{7*7}} <b>&amp;</b>', repeat('Ÿ', 200)]) as name),
busiest as (select org_id, player, row_number() over (order by count(*) desc, player) as n from plays
    where org_id = '781fd756-ba93-4d9a-9fc6-643dce499df3' and started_at between now() - interval '38 days' and now() - interval '1 day' group by 1, 2)
update players set display_name = odd.name from odd join busiest using (n) where players.org_id = busiest.org_id and ordinal = player;

-- A play of 170 years: its seconds need more than 32 bits.
update plays set completed_at = '2199-12-31Z' where id = (select id from plays where org_id = '781fd756-ba93-4d9a-9fc6-643dce499df3'
    and completed_at is not null and started_at between now() - interval '38 days' and now() - interval '1 day' order by id limit 1);

insert into api_keys (id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name)
    select repeat(substr(slug, 7, 1), 22), id, 'Table', '{forks:read,reports:read}', sha256(convert_to(:'secret', 'UTF8')), now(), '', 'Table'
    from organisations where slug like 'table-%' or slug = 'atelier-north-light';
