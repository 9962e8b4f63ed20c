-- Loads all forks into three tables, forks, daily and plays, joined by forkId, and draws them. Needs the CLI of DuckDB 1.3 or later.
-- DuckDB runs curl, which Windows, macOS and most Linux systems have. It must be curl 7.75 or later: older versions do not wait.
-- Before: save a file dg.curl with this line and your key: header = "Authorization: Bearer dg_live_…"
-- Run: duckdb -bail dg.db -f dg.duckdb.sql
SET VARIABLE service = 'https://dg.example.org';
SET VARIABLE first_day = DATE '2025-04-01'; -- a UTC day; the last is today
SET VARIABLE fork = '';                     -- such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty for all forks
SET VARIABLE group_id = '';                 -- such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty for all players
SET TimeZone = 'Europe/Paris';              -- your time zone, in which times of plays are shown

-- DuckDB saves the requests in requests.curl. curl saves the responses of each run in a new folder below dg.responses. A run that succeeds deletes dg.responses.
-- After 429 and 503 curl waits as long as Retry-After says, or five seconds. From curl 7.79 on it waits at most an hour. It follows no redirect.
-- A missing or truncated response stops the script.
SET VARIABLE folder = 'dg.responses/' || strftime(now(), '%Y%m%d-%H%M%S');
CREATE OR REPLACE TEMP TABLE requests (file VARCHAR, url VARCHAR, forkId UUID, first DATE, last DATE);
CREATE OR REPLACE TEMP VIEW lines AS
    SELECT unnest(['silent', 'show-error', 'fail', 'fail-early', 'location', 'max-redirs = 0', 'create-dirs', 'retry = 7', 'retry-delay = 5',
        'retry-max-time = 3600', 'speed-time = 60',
        'proto = "=http' || CASE WHEN getvariable('service') SIMILAR TO 'http://(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(/.*)?' THEN '"' ELSE 's"' END]) AS line
    UNION ALL SELECT 'noproxy = "*"' WHERE starts_with(getvariable('service'), 'http:') -- no proxy may see the unencrypted key
    UNION ALL SELECT unnest(['url = ' || url, 'output = ' || file]) FROM requests;
INSERT INTO requests (file, url) VALUES (getvariable('folder') || '/forks.json', getvariable('service') || '/api/v1/forks');
COPY (FROM lines) TO 'requests.curl' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\x01');
.shell curl -q -K dg.curl -K requests.curl
BEGIN; -- a script that stops leaves the tables as they were
CREATE OR REPLACE TABLE forks AS
    SELECT fork.*, false AS hidden -- whether a period has no figures, because fewer than 5 members of the group played
    FROM (SELECT unnest(items) AS fork FROM read_json(getvariable('folder') || '/forks.json', columns = {'items': 'STRUCT(id UUID, gameId UUID,
        slug VARCHAR, title VARCHAR, major INTEGER, status VARCHAR, visibility VARCHAR, sourceLocale VARCHAR,
        deployedReleaseNumber INTEGER, suspended BOOLEAN, createdAt TIMESTAMPTZ, updatedAt TIMESTAMPTZ)[]'}))
    WHERE getvariable('fork') IN ('', fork.id::VARCHAR);
ALTER TABLE forks RENAME id TO forkId;

-- A request covers at most 366 days.
SET VARIABLE today = (now() AT TIME ZONE 'UTC')::DATE;
DELETE FROM requests;
INSERT INTO requests
    SELECT format('{}/{}.{}.json', getvariable('folder'), forkId, first), format('{}/api/v1/forks/{}/stats?from={}&to={}{}', getvariable('service'), forkId, first, last,
            CASE WHEN getvariable('group_id') <> '' THEN '&groupId=' || getvariable('group_id') ELSE '' END), forkId, first, last
    FROM (SELECT forkId, first::DATE AS first, least(first::DATE + 365, getvariable('today')) AS last
        FROM forks, generate_series(getvariable('first_day')::TIMESTAMP, getvariable('today')::TIMESTAMP, INTERVAL 366 DAY) AS s (first));
SELECT CASE WHEN count(*) = 0 THEN error('Nothing is shown: check the first day, the fork and the group.') ELSE count(*) END AS files FROM requests;
COPY (FROM lines) TO 'requests.curl' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\x01');
.shell curl -q -K dg.curl -K requests.curl
SET VARIABLE files = (SELECT list(file) FROM requests);
CREATE OR REPLACE TEMP TABLE stats AS
    SELECT r.*, suppressed, daily FROM requests r JOIN read_json(getvariable('files'), filename = true, maximum_object_size = 1000000000,
        columns = {'suppressed': 'BOOLEAN', 'daily': 'STRUCT(date DATE, plays INTEGER, avgScorePercent DOUBLE)[]'}) ON filename = file;
CREATE OR REPLACE TABLE daily AS -- a day without plays has no average
    SELECT forkId, day.date, day.plays, CASE WHEN day.plays > 0 THEN day.avgScorePercent END AS avgScorePercent
    FROM (SELECT forkId, unnest(daily) AS day FROM stats);
UPDATE forks SET hidden = true WHERE forkId IN (SELECT forkId FROM stats WHERE suppressed);
SELECT title, first, last, 'hidden, fewer than 5 members of the group played. This is not zero.' AS hidden
FROM stats JOIN forks USING (forkId) WHERE suppressed;

DELETE FROM requests WHERE file IN (SELECT file FROM stats WHERE suppressed);
SELECT CASE WHEN count(*) = 0 THEN error('Nothing is shown: check the first day, the fork and the group.') ELSE count(*) END AS files FROM requests;
UPDATE requests SET file = replace(file, '.json', '.csv'), url = replace(url, '/stats?', '/exports/csv?');
COPY (FROM lines) TO 'requests.curl' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\x01');
.shell curl -q -K dg.curl -K requests.curl
SET VARIABLE files = (SELECT list(file) FROM requests);
CREATE OR REPLACE TABLE plays AS
-- Columns are read by name, so that columns added later do no harm. Explicit types also hold for a file without rows.
SELECT playId::UUID AS playId, forkId::UUID AS forkId, releaseNumber::INTEGER AS releaseNumber, playerKey, playerLabel,
    startedAt::TIMESTAMPTZ AS startedAt, completedAt::TIMESTAMPTZ AS completedAt, durationSeconds::BIGINT AS durationSeconds,
    completed::BOOLEAN AS completed, scorePercent::DECIMAL(5,2) AS scorePercent, passed::BOOLEAN AS passed, skills
FROM read_csv(getvariable('files'), all_varchar = true, header = true, delim = ',', quote = '"', escape = '"', nullstr = '');

-- Complete days must have equal numbers. Today may have more plays, which were added between the two requests.
SELECT CASE WHEN (SELECT count(*) FROM plays WHERE startedAt AT TIME ZONE 'UTC' < getvariable('today'))
        <> (SELECT coalesce(sum(plays), 0) FROM daily WHERE date < getvariable('today'))
        OR (SELECT count(*) FROM plays) < (SELECT sum(plays) FROM daily)
        OR (SELECT bool_or(NOT ends_with(content, chr(10))) FROM read_text(getvariable('files'))) -- the last row is cut
    THEN error('Rows are missing, or a play came in between: run it again. The tables are as they were.') ELSE 'whole' END AS plays;
COMMIT;
-- Delete the saved responses, because they contain names of players. This works in Unix shells and in cmd.
.shell rm -rf dg.responses || rd /s /q dg.responses

-- The chart shows the plays of each fork by week (UTC). It omits the first and last week, which may be incomplete.
WITH weeks AS (SELECT forkId, date_trunc('week', date) AS week, sum(plays) AS plays FROM daily GROUP BY ALL),
    scale AS (SELECT week, week > min(week) OVER () AND week < max(week) OVER () AS whole, max(plays) AS most FROM weeks GROUP BY week)
SELECT title, sum(plays)::INTEGER AS plays, -- a hidden week is a gap
       coalesce(string_agg(coalesce(substr('▁▂▃▄▅▆▇█', 1 + ceil(7.0 * plays / (SELECT greatest(max(most), 1) FROM scale WHERE whole))::INTEGER, 1),
           ' '), '' ORDER BY week) FILTER (whole), 'Nothing to draw: no whole week has plays.') AS "by week, same scale"
FROM forks CROSS JOIN scale LEFT JOIN weeks USING (forkId, week)
GROUP BY forkId, title HAVING count(plays) > 0 ORDER BY 2 DESC;

-- Figures of a period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
SELECT (SELECT count(*) FROM forks) AS forks, count(*) AS plays, count(DISTINCT playerKey) AS players,
       count(*) FILTER (completed) AS completed, round(avg(scorePercent), 2) AS averageScore
FROM plays;
SELECT hour(startedAt) AS "most plays start at", current_setting('TimeZone') AS zone, count(*) AS plays
FROM plays GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 1;

-- Answers by skill. Each play has them as a text such as 'data.reading.charts=3/4;…'.
WITH answers AS (SELECT string_split(unnest(string_split(skills, ';')), '=') AS pair FROM plays WHERE skills <> '')
SELECT pair[1] AS skill, sum(split_part(pair[2], '/', 1)::BIGINT) AS correct, sum(split_part(pair[2], '/', 2)::BIGINT) AS attempts
FROM answers GROUP BY skill ORDER BY skill;
