-- Reads plays.csv, which the curl recipe saves, into a typed table.
-- Run: duckdb dg.db -f plays.duckdb.sql
-- The curl recipe waits for the rate limit, cuts the period into windows, and stops when a group is hidden.
CREATE OR REPLACE TABLE plays AS
FROM read_csv('plays.csv',
    header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = '',
    columns = { -- types that do not depend on the rows: they hold for a file without any too
        'playId': 'UUID', 'forkId': 'UUID', 'releaseNumber': 'INTEGER',
        'playerKey': 'VARCHAR', 'playerLabel': 'VARCHAR',
        'startedAt': 'TIMESTAMP', 'completedAt': 'TIMESTAMP', -- in UTC
        'durationSeconds': 'BIGINT', 'completed': 'BOOLEAN', 'scorePercent': 'DECIMAL(5,2)', 'passed': 'BOOLEAN',
        'skills': 'VARCHAR'
    });

-- Figures of a period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
SELECT count(*) AS plays, count(DISTINCT playerKey) AS players, count(*) FILTER (completed) AS completed,
       round(avg(scorePercent), 2) AS averageScore
FROM plays;

-- Answers by skill: 'data.reading.charts=3/4;…' becomes rows.
WITH answers AS (
    SELECT string_split(unnest(string_split(skills, ';')), '=') AS pair FROM plays WHERE skills <> ''
)
SELECT pair[1] AS skill, sum(split_part(pair[2], '/', 1)::BIGINT) AS correct, sum(split_part(pair[2], '/', 2)::BIGINT) AS attempts
FROM answers GROUP BY skill ORDER BY skill;
