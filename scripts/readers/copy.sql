-- What PostgreSQL's COPY reads.
create temp table plays (
    "playId" uuid, "forkId" uuid, "releaseNumber" integer, "playerKey" text, "playerLabel" text, "startedAt" timestamptz, "completedAt" timestamptz,
    "durationSeconds" bigint, completed boolean, "scorePercent" numeric, passed boolean, skills text);
\copy plays from pstdin with (format csv, header match)
select count(*), count(distinct "playerKey"), coalesce(sum("durationSeconds"), 0), count(*) filter (where completed), count(*) filter (where passed),
    coalesce(sum("scorePercent"), 0)::numeric(18, 2), count(*) filter (where "completedAt" is null) from plays;
