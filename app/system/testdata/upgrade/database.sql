
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE FUNCTION public.end_sessions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    /* identity.end_sessions */
    delete from sessions where user_id = new.id;
    return null;
end $$;

ALTER FUNCTION public.end_sessions() OWNER TO dg_owner;

CREATE FUNCTION public.raise_organisation_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.version := old.version + 1;
    return new;
end $$;

ALTER FUNCTION public.raise_organisation_version() OWNER TO dg_owner;

CREATE FUNCTION public.raise_version_of_forks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if tg_op = 'TRUNCATE' then
        update organisations set version = version + 1;
    elsif tg_op = 'UPDATE' then
        update organisations set version = version + 1
         where id in (select org_id from changed union select org_id from former);
    else
        update organisations set version = version + 1 where id in (select org_id from changed);
    end if;
    return null;
end $$;

ALTER FUNCTION public.raise_version_of_forks() OWNER TO dg_owner;

CREATE FUNCTION public.unseal_plays() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

ALTER FUNCTION public.unseal_plays() OWNER TO dg_owner;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE UNLOGGED TABLE public.api_key_windows (
    key_id text NOT NULL COLLATE pg_catalog."C",
    refused boolean NOT NULL,
    head integer DEFAULT 1 NOT NULL,
    instants timestamp with time zone[] DEFAULT array_fill('-infinity'::timestamp with time zone, ARRAY[120]) NOT NULL
)
WITH (fillfactor='40');

ALTER TABLE public.api_key_windows OWNER TO dg_owner;

CREATE TABLE public.api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    org_id uuid NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    created_by text NOT NULL,
    creator_name text NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    once uuid,
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['forks:read'::text, 'reports:read'::text]))),
    CONSTRAINT api_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
)
WITH (fillfactor='80');

ALTER TABLE public.api_keys OWNER TO dg_owner;

CREATE TABLE public.audit_entries (
    id bigint NOT NULL,
    org_id uuid NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    address text NOT NULL,
    user_agent text NOT NULL,
    request_id text NOT NULL,
    key_id text GENERATED ALWAYS AS (
CASE
    WHEN (actor_kind = 'key'::text) THEN actor_id
    WHEN (target_kind = 'api_key'::text) THEN target_id
    ELSE NULL::text
END) STORED,
    CONSTRAINT audit_entries_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['person'::text, 'key'::text])))
);

ALTER TABLE public.audit_entries OWNER TO dg_owner;

ALTER TABLE public.audit_entries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.fork_days (
    fork_id uuid NOT NULL,
    org_id uuid NOT NULL,
    day date NOT NULL,
    sums bytea NOT NULL,
    head_bytes integer NOT NULL,
    segment bytea NOT NULL
);
ALTER TABLE ONLY public.fork_days ALTER COLUMN sums SET STORAGE PLAIN;
ALTER TABLE ONLY public.fork_days ALTER COLUMN segment SET STORAGE EXTERNAL;

ALTER TABLE public.fork_days OWNER TO dg_owner;

CREATE TABLE public.fork_months (
    fork_id uuid NOT NULL,
    org_id uuid NOT NULL,
    month date NOT NULL,
    segment bytea NOT NULL
);
ALTER TABLE ONLY public.fork_months ALTER COLUMN segment SET STORAGE EXTERNAL;

ALTER TABLE public.fork_months OWNER TO dg_owner;

CREATE TABLE public.forks (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    game_id uuid NOT NULL,
    slug text NOT NULL,
    title text NOT NULL,
    major integer NOT NULL,
    status text NOT NULL,
    visibility text NOT NULL,
    source_locale text NOT NULL,
    deployed_release_number integer,
    suspended boolean NOT NULL,
    configuration jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT forks_source_locale_check CHECK ((source_locale = ANY (ARRAY['en'::text, 'fr'::text, 'es'::text, 'pt'::text, 'de'::text]))),
    CONSTRAINT forks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text]))),
    CONSTRAINT forks_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'organization'::text, 'restricted'::text])))
);

ALTER TABLE public.forks OWNER TO dg_owner;

CREATE TABLE public.games (
    id uuid NOT NULL,
    slug text NOT NULL,
    title text NOT NULL
);

ALTER TABLE public.games OWNER TO dg_owner;

CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.goose_db_version OWNER TO dg_owner;

ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.group_members (
    org_id uuid NOT NULL,
    group_id uuid NOT NULL,
    player integer NOT NULL
);

ALTER TABLE public.group_members OWNER TO dg_owner;

CREATE TABLE public.memberships (
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);

ALTER TABLE public.memberships OWNER TO dg_owner;

CREATE TABLE public.organisations (
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    reporting_mode text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    CONSTRAINT organisations_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'team'::text, 'pro'::text, 'enterprise'::text]))),
    CONSTRAINT organisations_reporting_mode_check CHECK ((reporting_mode = ANY (ARRAY['pseudonymous'::text, 'nominative'::text])))
);

ALTER TABLE public.organisations OWNER TO dg_owner;

CREATE UNLOGGED TABLE public.password_guesses (
    email_hash bytea NOT NULL,
    wrong integer NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT password_guesses_email_hash_check CHECK ((octet_length(email_hash) = 32))
);

ALTER TABLE public.password_guesses OWNER TO dg_owner;

CREATE TABLE public.player_groups (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL
);

ALTER TABLE public.player_groups OWNER TO dg_owner;

CREATE TABLE public.player_ordinals (
    org_id uuid NOT NULL,
    last integer NOT NULL
);

ALTER TABLE public.player_ordinals OWNER TO dg_owner;

CREATE TABLE public.players (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    ordinal integer NOT NULL,
    label text NOT NULL,
    display_name text NOT NULL,
    CONSTRAINT players_ordinal_check CHECK ((ordinal > 0))
);

ALTER TABLE public.players OWNER TO dg_owner;

CREATE TABLE public.plays (
    started_at timestamp(3) with time zone NOT NULL,
    completed_at timestamp(3) with time zone,
    player integer NOT NULL,
    release_number integer,
    score smallint,
    passed boolean,
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    fork_id uuid NOT NULL,
    answers bytea NOT NULL,
    CONSTRAINT plays_answers_check CHECK ((octet_length(answers) <= 12800)),
    CONSTRAINT plays_check CHECK ((((completed_at IS NULL) = (score IS NULL)) AND ((completed_at IS NULL) = (passed IS NULL)))),
    CONSTRAINT plays_check1 CHECK ((completed_at >= started_at)),
    CONSTRAINT plays_score_check CHECK (((score >= 0) AND (score <= 10000)))
);

ALTER TABLE public.plays OWNER TO dg_owner;

CREATE TABLE public.sessions (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    second_step_due boolean NOT NULL,
    address text NOT NULL,
    user_agent text NOT NULL,
    totp_offer text,
    CONSTRAINT sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE public.sessions OWNER TO dg_owner;

CREATE TABLE public.unsealed_days (
    fork_id uuid NOT NULL,
    day date NOT NULL
);

ALTER TABLE public.unsealed_days OWNER TO dg_owner;

CREATE TABLE public.unsealed_months (
    fork_id uuid NOT NULL,
    month date NOT NULL
);

ALTER TABLE public.unsealed_months OWNER TO dg_owner;

CREATE TABLE public.users (
    id uuid NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    name text NOT NULL,
    password_hash text,
    totp_secret text,
    locale text,
    password_since timestamp(3) with time zone,
    totp_since timestamp(3) with time zone,
    totp_last_step bigint,
    wrong_codes integer DEFAULT 0 NOT NULL,
    codes_wait_until timestamp(3) with time zone
);

ALTER TABLE public.users OWNER TO dg_owner;

INSERT INTO public.api_key_windows VALUES
	('OkQ7hL0IKBTBXX262MqWwO', false, 1, '{-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity}'),
	('iXS0hEX5ncXScRdXSrwls9', false, 4, '{"2026-11-21 20:24:10.883087+00","2026-11-21 20:24:10.889818+00","2026-11-21 20:24:10.900425+00",-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity}'),
	('iXS0hEX5ncXScRdXSrwls9', true, 2, '{"2026-11-21 20:24:10.925153+00",-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity}'),
	('OkQ7hL0IKBTBXX262MqWwO', true, 2, '{"2026-11-21 20:24:10.922854+00",-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity,-infinity}');

INSERT INTO public.api_keys VALUES
	('OkQ7hL0IKBTBXX262MqWwO', '50f89893-ae04-4f07-b036-bba78dbaad44', 'Lost laptop', '{forks:read,reports:read}', '\x018814dc810673e3385ad97f2a0656806b078451613c7517017465247fae582f', '2026-11-21 20:24:10.579+00', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'Olive Owner', NULL, '2026-11-21 20:24:10.592+00', NULL, NULL),
	('iXS0hEX5ncXScRdXSrwls9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'Power BI', '{forks:read,reports:read}', '\xc6a1bdeb951d85174957f3bd007e19056d528feec6a737e2e5acefdb50d720e3', '2026-11-21 20:24:10.561+00', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'Olive Owner', NULL, NULL, '2026-11-21 20:24:10.884+00', NULL);

INSERT INTO public.audit_entries OVERRIDING SYSTEM VALUE VALUES
	(1, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.574+00', 'person', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'Olive Owner', 'api_key.created', 'api_key', 'iXS0hEX5ncXScRdXSrwls9', '', '{}', 'POST', '/settings', '192.0.2.1', 'test', 'request-0001', DEFAULT),
	(2, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.589+00', 'person', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'Olive Owner', 'api_key.created', 'api_key', 'OkQ7hL0IKBTBXX262MqWwO', '', '{}', 'POST', '/settings', '192.0.2.1', 'test', 'request-0001', DEFAULT),
	(3, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.592+00', 'person', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'Olive Owner', 'api_key.revoked', 'api_key', 'OkQ7hL0IKBTBXX262MqWwO', '', '{}', 'POST', '/settings', '192.0.2.1', 'test', 'request-0001', DEFAULT),
	(4, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.915+00', 'key', 'iXS0hEX5ncXScRdXSrwls9', 'Power BI', 'export.started', 'fork', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '', '{"to": "2026-10-31", "from": "2026-09-01"}', 'GET', '/api/v1/forks/b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e/exports/csv', '127.0.0.1', 'Go-http-client/1.1', 'HBRLGB2UOIOGRU2OWDVP4D6E25', DEFAULT),
	(5, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.919+00', 'key', 'iXS0hEX5ncXScRdXSrwls9', 'Power BI', 'export.finished', 'fork', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '', '{"to": "2026-10-31", "from": "2026-09-01", "rows": 303, "outcome": "completed"}', 'GET', '/api/v1/forks/b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e/exports/csv', '127.0.0.1', 'Go-http-client/1.1', 'HBRLGB2UOIOGRU2OWDVP4D6E25', DEFAULT),
	(6, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.923+00', 'key', 'OkQ7hL0IKBTBXX262MqWwO', 'Lost laptop', 'api_key.refused', 'api_key', 'OkQ7hL0IKBTBXX262MqWwO', 'revoked', '{}', 'GET', '/api/v1/forks', '127.0.0.1', 'Go-http-client/1.1', '4GMACUC6RQXG43RLJG6FI7DWBP', DEFAULT),
	(7, '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-11-21 20:24:10.925+00', 'key', 'iXS0hEX5ncXScRdXSrwls9', 'Power BI', 'api_key.refused', 'api_key', 'iXS0hEX5ncXScRdXSrwls9', 'outside_api', '{}', 'GET', '/docs', '127.0.0.1', 'Go-http-client/1.1', 'XSQCNEHVLBYU4AMJFUY7VDTVRH', DEFAULT);

INSERT INTO public.fork_days VALUES
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-01', '\x010303eb8e01010304020b01010e03031201011702021b02021d0101', 23, '\x0103019be30086a20409844d002e9302004c5600da9a030506061d1d3b0307071d0617252f2f3737'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-02', '\x010505c2d901020002000305050601010702000c02010e04010f03001402021502011602021a01001d0200', 37, '\x010501e0e000da9a0303f34900d6830001ccdc0086a204013a5000828b0100e954002e9302080707071c1c1c2d3a0507071d2d3a060d19181e1e1e0600000e0e2929032b2a34'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-03', '\x010503f174000002020101010201010402010503010703010901011002021202021302001405031901011c0101', 37, '\x010504000000d68300020000002e930203d44f0086a204013f5000828b01025e5a00da9a0303252533060309081326260701010a0a0f2928060b0e0e2929280405212139'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-04', '\x010503988b01000001010202000601010701000903010b02011006011202001401011902001c0402', 37, '\x0105024a560086a20401000000da9a0301375600d68300011759002e930207000000828b0104010d0e2902203904212038380904041312122020203906171624243232'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-05', '\x010505a0d201020002010101010402010502000702000901000b02000d01011101011202021301001402011602011b0201', 37, '\x010502b55400da9a0301005100828b01003548002e9302012fdd00d683000707de0086a204040a0a37360601000e0e29280416162525041b232d2c050309081226'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-06', '\x010505e0e201020201010502000901010a01010d01011102001601001701001801001902021a02021b01011c03011d0200', 37, '\x01050710e70086a20402584f00d68300018c4e00da9a030106e0002e930201664c00828b0104153033330422223535050513393838041b2c3a3a040a0a2e37'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-07', '\x010505c971000103010203030302010401000502020803030901010a02021002021301011402021701011b02001c02011d0200', 37, '\x0105013e48002e9302030d5000da9a0302714900d6830000a04a00828b01046d4c0086a2040407063a3a06151521213938070b0b29292f36360603020211111106050505081327'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-08', '\x010505f48902010003030201010502020702020902010a01011001011102021402021503011801001a02001c0101', 37, '\x010501a55200828b0100fd590086a20401205b00da9a03085d5800d6830001d5e4002e9302040101010f041521303903051312050b0b0f29290723232b2a2a3434'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-09', '\x010504e0e701020305030b04020e03021204021602021702001b02021d0201', 37, '\x0105011ae100da9a0303000000d6830003665400828b0104305a002e93020030e40086a204042e2e373704171725250507071d1d1c0416162424070706062d2d3b3a'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-10', '\x010505a5a101000201010302020803020903030d02020e02021102001301011503011602021a03031c02021d0200', 37, '\x010503bb4b002e9302069d5300828b010098520086a20401ea4e00d6830000cb4f00da9a03032a2a350522222b35350807071b1b2d2d3a3a0705131313273939051111101d1d'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-11', '\x0105049dd401020101010401010601010a02020f0301120504180605190402', 37, '\x010506cbdc00828b010034e5002e930205000000da9a03019f4d00d68300007f5a0086a2040415313131020309042524333309152525253131303232040d1f1e1e'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-12', '\x01050585af01000003010201000504010705010902010a01011003031407051801011b03021c0402', 37, '\x010501285300da9a0303af5700828b0101934b002e930201594a00d6830001c2560086a204060a0a0e0e2929051521313838080100000e0e292929080b0a0f28283737360704131221213939'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-13', '\x0105058d9402040003010103010206030404010702020802020904040c03010e03010f02011303031402021501011a0200', 37, '\x010506e2e0002e930202ab4d00d6830003ebdb00828b010099df00da9a0300fcdf0086a204070100000f0f292906050504132727081918181f1e2b34340a030202080811111d1c1c09050404090813131327'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-14', '\x010503c29f01010003020104020402010601010701010801010902020a01010f02011001011305011803011c0300', 37, '\x010504000000828b0102c154002e930202f15300da9a0301000000d683000010e70086a204040101000f0702020813132626030d1f1e0815213130303838380703030911272626'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-15', '\x010504899701010302000a02010d02010e02021003031101011601011805011902021a01011c01011d0202', 37, '\x010501a54d002e930200535800da9a03030c4a00d683000000000086a2040685db00828b010715212121313039061430303033330406061d1d022335051b1a2d3b3b'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-16', '\x010503ba8c01010204040902020a01001003031101011201001503001802021904041a02021c0400', 37, '\x010503255200828b01014a5700d6830001cbdc0086a204040000002e930202000000da9a030805051313212138380324333304313133330605051421383806232a2a2a3535'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-17', '\x010503eeb001020101010402020502020702020803010b02000c02010e01010f01011102001202001403021501001a05031b0101', 37, '\x010501000000d68300000854002e93020712de00da9a030254e60086a20401000000828b010719181f2a353434070309091110101d04161624240422223535080b0b0f0f29292837'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-18', '\x010504889501010203030301010a09050d01011004021601001805041901001c03011d0303', 37, '\x010501fb5100d68300036a4e0086a204044d4900da9a0301000000828b0100d6e0002e9302041515313107050505141421390715142020313132071515142130383806071b2c3b3b3b'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-19', '\x010504a0b301010003020303010602020702020803030a02000e0302140303180101', 37, '\x0105019e58002e93020610e700da9a0301000000828b0102ca4b00d6830001284e0086a204050f0f29292903141431050706061d1c050101000d0d041111111d'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-20', '\x0105028e49000102020301010403020803010902000b02020d02020e03031101011302011701011a0201', 37, '\x0105010000002e930203525000da9a030000000086a20403000000828b01013c5400d683000709090812122726051b1b233534040303111d050710101d1d0317172f'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-21', '\x010504d88401000003030101010402020502020602000701010c02010f02001302021403021502021702011802011902001b0301', 37, '\x0105041154002e930204000000d6830002714b00828b01004a5a0086a204018c4800da9a03050309092727080c0c19181e1e2b2b052f2e3736360431303232090101010b0b0f292928'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-22', '\x010504e9b401020003020302010502020602020705040a01000e03010f01011202011402001802021902001b0202', 37, '\x0105021b4c00d6830003d4df002e930204000000828b01015d4e0086a204021de000da9a03030d0d1f0714252431313232050101000f0f090b0b0f0f0e282837370507061d1c1c'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-23', '\x010505c5e701010505030601000a03020b02000f01011002021202011702011802001901011b0301', 37, '\x0105074e5000d683000193e600828b01007d5a00da9a0303dd560086a204018a4b002e9302050b0b0a3636020c1f0416162524050b0a2f2e37081515142121303033'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-24', '\x01050593ad01000001010102020301010402020702010803010b03000d02001201011302011503021601011702021902011a02021d0100', 37, '\x010503174c0086a20401a14d00828b0100c95200da9a03041e5200d6830001f457002e930208161616252f2f3332052b2b2a353503010f0e0903030909111010272605071a1a2d3a'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-25', '\x010505c5a101000202000402000901010a02011002001201001303021603011803031902001c03011d0201', 37, '\x0105044c5200d68300010f4c002e930202d9490086a20405425400828b01004f5400da9a0304243132320415143131050808272726052d2c2c3b3a080404132020393838'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-26', '\x010505e18d01000002020102020302020603030701000802020b03030d02020e0200120400160202170504190400', 37, '\x0105054649002e9302041a5400828b01018b4d00d6830000db520086a204021b4900da9a03061724242f2f32041b1b2d2d0601010d0d0d0e0a171724242f2f2e323232080303070711111c1c'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-27', '\x010503e68901010204020305020902020e04031002011302011601011c03011d0303', 37, '\x01050300000086a2040315e200d6830001000000828b01004b55002e930203864d00da9a030505212039380506061d3b3b03071d1d0805040413132726380507061c2d3b'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-28', '\x010504afa501010002020306040502020601010701000802020d01010e04021404011602011b03011d0201', 37, '\x01050100000086a20401efe600d6830001954900828b0105a64a002e930202855700da9a03070706061b2d2c3a060711111c1c3b0407071d1d070b0b28283736360601010d0e2928'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-29', '\x010504aa7b000204030501010d02011002011102011202021402001701011902021a02021b02001c0502', 37, '\x010502764a00d68300052b5b002e9302012b5000da9a0301000000828b0103de470086a204060b28282f3636061b1a23223535042525333305050421393806050520393838'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-30', '\x01050583e401010002020201010503020601010902000c02000d01010f01011101011402021602021702021b02011d0200', 37, '\x01050821e500da9a0301125300d6830000ef52002e930201285300828b0100b9530086a2040601010d18181f032f2f3703051212060b0b0a292936061b232d2d3a3a'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-01', '\x01050582fd01030001010101010303000401000601010701000d03010f02011102001203001302021602001802021901011a02011d0100', 37, '\x01050466dd00d6830001445100828b0100c3e20086a2040129dc002e930201ec5000da9a0305010d0e1f1e070606061b2c2c3a06242424313133061a1a222235340403082727'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-02', '\x010504979201000003000204010501010601010903000a03010b01001001011302021701001801001902021b03011c0401', 37, '\x010501a44b00da9a03030f5000828b01014f5200d6830000155b002e93020700000086a20409050404151421393838040000000d0414303333060b162e3736360704121212272738'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-03', '\x010505a0b501010201010701000902020d03031002011103011402001604031802001902021a01011c0101', 37, '\x010502ae4d0086a20403255000da9a03020e5200d68300002edd00828b0103914d002e930206051313212039030e28280430303333041b2d2d2c071b1b2322222d35'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-04', '\x010505f38102020301010502010a03020c02010e03010f02011202021402021502001702011803031902001a02011b01011d0202', 37, '\x010501e8e300d6830000bc5500828b01019e56002e93020110e70086a20402a14900da9a0306071d1c1c3b3b0819181f1e2a2a3534041515143106252531313232070b0a29292f2e37'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-05', '\x010505fdfd01010102020304010502020603020803020c01000d01010e03030f01011502011601011701011b0101', 37, '\x010501bf5a00828b010384540086a2040161e000d6830005925a00da9a0302c754002e9302040b0b2f37070d0d0c181f2b2a0703070611101d1d05030606111d021b2d'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-06', '\x010505eaeb01010103030201000304020402010603010801010903010c03000e02020f01011602021d0200', 37, '\x010501545700828b01007b50002e93020348e200da9a030067520086a204026c5900d683000303090804041312120703030606111d1d0607072d2d3a3a070d0c0c1818181f'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-07', '\x010504eda101010002020102020401000501010603030701010a03021001011201011402021801011903001b0101', 37, '\x010502ab4e002e93020122dd0086a20408000000d6830000754e00da9a0301ab5600828b0103030308030b293707151425313232320701010d0d0d0f29021521'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-08', '\x010505b0f801030101010204030502020801010902000d01010e02001001001102011303011501011702021a01011b02021c0503', 37, '\x0105036ddf0086a204053edf00da9a0302e84800828b0100b252002e930202ebe100d68300060b0b2f2f373709051212272626393838051b23222b35060505042039390403111c1c'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-09', '\x010504b38f02040302020a04030b03020e03031001011202021702021802021904031c0201', 37, '\x010503000000d683000234dd00da9a030160e6002e93020110e700828b01020fdd0086a20407151531313333330507071d1d1d0515142139380417252f2f0417162532'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-10', '\x010502b69301020204020301010902020a02010b01010e02021004031202001602001702001903031c05031d0101', 37, '\x0105010000002e930202000000d683000436e50086a20403000000828b010180e400da9a0307151421213938380704041313212039081724242e2e33333306071d1d2c2c3b03050539'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-11', '\x010504e9ff01030001010203030606030905020c05040f02021302001502001a0300', 37, '\x0105030000002e930200f94b00da9a030252e600d683000410e700828b01008ee60086a20406050513132626070c0c0c1919181f06010d0d0d191f06192a2a3434340405121212'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-12', '\x010504cba301010202000302020502000801000b03000e03031002001202011402021708031902021b04021c02021d0100', 37, '\x010502000000da9a0303365a002e93020464480086a20403615300d6830000d0db00828b010a16161625242f2e2e333306040420203939080a0a29292f2e2e37070707101d1d1d3a052f2e373636'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-13', '\x010505d9e101020102010303010805020a02010b01010d02010e04031003031201011602021902021c02021d0300', 37, '\x010502ad4800828b0100fa510086a2040281e300d68300034751002e9302046ae100da9a030906061b1a2d2d3a3a3a050311111d1d04172533330702071010101d1c0715142121213939'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-14', '\x010504ea9a01000004000102020202020403000502010704010801000903000b02011304001402021702021b01011c0202', 37, '\x0105040000002e930202e04e00da9a0300fc570086a20403b14e00828b0102dd5700d6830005000f0e0e29060000000a0e29060b17162f2f3709030308080810262626080505121212263939'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-15', '\x010505b49c02030103010202010402020601010801000902020a02010c02020d02010e02020f02021002021101011303021602021a01001c0202', 37, '\x010504ff5900d683000322e0002e93020127e600828b0101f4db00da9a0301f8510086a204050d19191f1f061b1a232d2d34051313272726080302020909101d1d080504151421213939'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-16', '\x010505d1fe01020102020203030701000803030a01010b02021002001201011402021702011803021902021c0201', 37, '\x01050510e700da9a0300e2db0086a204014f5600828b01032858002e930202e84d00d6830005030311111103172f2e0717253131303333030e2929080505051520203938'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-17', '\x010504dd8f01010002010203030601010702000a02020d02001005021601011803031c0401', 37, '\x01050310e700828b01077d4c002e9302021d4800d6830000000000da9a0300334c0086a20405202038383804153131310501000d0e0e080505051521212039031a1a2d'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-18', '\x010504dfde01030101000402020603010906010c07060f0402130402150200', 37, '\x010502b9db0086a20404d74b00d6830003000000da9a030328e200828b0100a7e5002e9302080209091212122626070d1919181f2a2a0419191e1e050c0c19191f051312122727'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-19', '\x010505cdc901010002000202000504030602020706010902020b01010f02021403031701011b02021c0302', 37, '\x010503534a00d68300022ee500828b0100fb52002e9302006d4a00da9a0304e4570086a204060b0b0e0e292907040413133939380800000d0d0f0e1f1f04172f3737050b0a0e0e29'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-20', '\x010504d3c201020002010102000402020502020602000704020902000b02021201011302011405031702021b0200', 37, '\x010503175200d6830001224e00da9a030633e2002e930200e7de0086a20402000000828b01050b0b292928071717252f2f36360601000c0c0f0f040e0e2928080202090912122726'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-21', '\x010505948602020202010603000a01010c03000d02010f01011002001102021502021601011a04001c0202', 37, '\x0105018653002e930203fd590086a2040473e200da9a0302795200d6830002a5e000828b01042b2b3434031b1a2d04232334340705041520203939070c0c0c1818181f'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-22', '\x010505bfaf01010001010101010202000501010601010701000802020902020b02001102021401001502021702011a02011b01011c0200', 37, '\x0105073b4a00d68300025e4800da9a03009a4f0086a20401705400828b01001ce1002e93020303111104010d0e280623232b2b3534060b16162f2e3706040413133838'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-23', '\x010505e7f401020002010103030306040501010702020802010c02000d04030e02021101011402021502001601001d0202', 37, '\x010502325200d68300005ae200828b0105e7e20086a204010c5200da9a0304e850002e93020701000b0f0f2929031b1a23080707071b1b2c3b3b0418182a2a0a03030307060611101d1d'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-24', '\x010504f7a501000002020204020301010702020902020a02020e03001002021802001c0402', 37, '\x0105014857002e9302009e580086a20401000000d6830000ee5000828b0100235200da9a0305050504131304071c1c1c040439383807151521213030390401010f0f'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-25', '\x01050583b101010004040204040603010706050904031002021301011401011c0301', 37, '\x0105014b4d00da9a03017e4e00d68300025153002e930206e44900828b010085df0086a204040101010f0905051313212139383807010d0c0c0f0f0f050505131227030f0e29'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-26', '\x010505cbe501020006040602020703030b03030d02021102001202021402021601011d0101', 37, '\x010502814b00d683000166e00086a20401ad58002e930205475200da9a0303f0db00828b010517171725250401010d0d061b1b22222d3b0301010f0600000f0f2929'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-27', '\x010504f5b601010103020404030804030b03030d01011102021202021304031701011a02001b0101', 37, '\x010501f45900828b0100c34c00da9a030400000086a20401b5db002e930206095900d683000717171725252f37051b23233434070309111111272703092726050302090810'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-28', '\x010505f9f401020003030202010303000702020902000b01011002011101011203021602021902021a01011c02001d0101', 37, '\x010502995200da9a0305d95800d683000110e700828b0101e54a0086a2040212dd002e930206172525243333080504121221203838022335050101010f0f060606062d2d3b'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-29', '\x010503ebac01020302000a02020c02000d04030f01001001011105041502011602001802021903031a03011d0200', 37, '\x010501eddb00828b010306e3002e930201000000da9a0303785700d683000300000086a204081515213131333333082323232b2a3534340806061b1a2c2c3a3a0318181e041b1b2322'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-30', '\x010503d5d201020102020302010401010501000802010903030d02010e01001302021401011603011701011b01001d0302', 37, '\x01050310e700828b0101000000d683000000000086a20402355b00da9a030210e7002e9302040a292f3603071c3b08061b1a2d2c2c3b3a040303111006091313132727'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-31', '\x010202d057000803000d01010e02021102011a0101', 16, '\x010204fd5800828b0101d35200d68300041b232235051010101d1d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-01', '\x0102028543000202020502020701001002011401001c0101', 16, '\x010206e94a00b01e04049c5600041703050505212039040b0b0e28'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-02', '\x010505bfb301000002010602020a02010d04030f03021106061501011602021801001902021a03001d0302', 37, '\x010507c35300041703012a5500000000007d5000ac070100444b00580f0201115500b01e04071b1b1a232d3b3b051b23232d3a072323232b3434340701000d0d1f1f1e051514303333'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-03', '\x010504a0c401010902000a02001002011103011301011602021805041905031a01001d0200', 37, '\x0105039e520004170304000000000000006e5100b01e0401045700580f020110e700ac07010431303333042d2d3a3a04232222340a1414212031313133323203121227'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-04', '\x010505e9cb01020102020501010803030a02010b02020e03011002021204041702021802011902021b03011c0303', 37, '\x0105044b4f00000000007c490004170304334f00ac070102b9df00b01e040236de00580f020803031111111d1c1c080b17172f2f373636061514252531330425253033052121393939'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-05', '\x010505ea9802020201010903000a03020b02010c02020f01001002011102021202011503011805041902021a03031c0300', 37, '\x0105039d59000417030542e600ac070101865500b01e0401fbdf00000000000a5700580f02040512121202191e0b1515142120313130383838091923232b2a2a353535081716252431313333'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-06', '\x01050481c601020002000101010402020601010801000b02010c02010f02011203011301011501011702001801011901011b0303', 37, '\x010504000000580f02021a50000000000280dc0004170302574f00ac07010210e700b01e040503090910270a17162524242e2e3737370419181f2b0231330400000d1e'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-07', '\x010504a8d301010302020601010c04040f03001506021601011a05021d0101', 37, '\x0105010a5a00b01e0403000000ac070104cc5400580f020116e10000000003bc59000417030407072d3b040d1e1e1e042a2a34340519192b2b350619192a2a3534'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-08', '\x010504f5c901020103000203030301010402020803030903000b03010e02021102021201011302021502011901011a02011c0201', 37, '\x010502000000ac0701015355000000000099e0000417030173db00580f0204965300b01e040a0505051212122727393805020202090905171616253306071111111d1d0623232b2a3534'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-09', '\x010504e6d901020001010701010b04020d02021002001101001203031704031a02021b02001c0101', 37, '\x010508ff5500580f0202000000ac070100d95200b01e040240df0000000000cee400041703051b1b2235350417252f2f02010f0917161625252f2e363603202039'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-10', '\x010505dcef01020002000101000302010602000802010a02020c02000e02020f03001001011601001c02011d0503', 37, '\x0105052d4d0000000000175400b01e0401e6dd00580f0200a251000417030110e700ac070106071d1d3b3a3a04062c3b3b0515152139380900000c0c18181e1e1e03021110'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-11', '\x01050580b202040003030501010601010703020c02010d02020f02001102021403011501011601011a01011b02011d0101', 37, '\x010504d3e400041703011bdc00580f0202744f00ac070101b4e100b01e0403eae60000000006010f0f0e28280701010d19181e1e040b293736061b1b23232d3b022b35'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-12', '\x010505d0a001000102020204040402010801010902010a02011002011202021303011803021903011c0403', 37, '\x0105012c4e00ac070101bf560000000000555300b01e0401104f0004170303004900580f020625253033323206050513123939080303090811272626040505393806151421203131'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-13', '\x01050589f001020002020203020402010501010701010902020b03001002001204041301011403021802001902021c0100', 37, '\x010504aa4c0000000001b3dc00b01e04029b5a00ac070100975200041703047ae100580f020416252533032020380701010b0f2929280805050409081313270716162525303033'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-14', '\x010505c1f301020003000103010302000402010501010704040803000d03021102011405051602021a01011d0200', 37, '\x0105026b4a000417030298e300580f0202124a0000000004d2e600ac070100da5a00b01e04080302020908101010061b1b1a232235080000000f0f2929290606062d2d3a3a050b0f0f2929'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-15', '\x0105058dd501020001010401000702020b01010c01010d02020f03021202011302001403011502001603021702021b0201', 37, '\x010502ec4a00ac070100da4d00580f0206fc49000000000010e700b01e0402bbe000041703051b1b2d2d2c071725242f2f373606191f1f1e2a2a0308262606010f0f292828'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-16', '\x010505858002020502010702020b03030d03021101011201001403011602011703001801001901011a03021b0100', 37, '\x01050125dc00ac070101a1e100b01e0403915900580f0204eb510000000000c35600041703091b1b1a232d2c353534071717172e2e2e3603243033030b0a29040f0f2828'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-17', '\x010505d3f401010002000205030502010602000702020904021002011302011401011701011b02021c0403', 37, '\x010502565a00b01e0401ef5a0004170301f04c0000000003395a00580f0203e5dd00ac070107050504132139390600000c0c0f0f060b0a292f3737030520390704131212272638'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-18', '\x010505caeb01020004040601010704040b02020c05040f01001102021201011401011501011801011902001a0202', 37, '\x01050176e60004170303b9df00b01e040159490000000004ec5300ac070100565200580f020401010f0f0819191923232b3535061717253132320601010d19181e030f0f29'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-19', '\x010505b0d201010103020301010402020801010b02020c02010d02001101011302021502021605021702021b02001d0202', 37, '\x010505cb5500041703037f490000000003f04b00580f0200455700b01e0401b1e600ac0701061a1a232c2c2c0419182b2b08030302090911272705072d2d3b3b0617172f2f3636'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-20', '\x010505a1f201020201010902020b04021102001202021704041a03001c0202', 37, '\x010505414f00000000017f4a00580f02018d5a00b01e0403c4dd00ac07010010e700041703041616252f03223434061717252f2f2f050513133939022234'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-21', '\x010505b8a502030401010601010c02020d05040f02021001011102021302011605001c01001d0302', 37, '\x010502844900ac070100065b00041703021fe500580f0202ffe1000000000510e700b01e04050d19191f1f091b1b23232c2c3b3b3a02213803092726061b1b1a2c2c2c'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-22', '\x010504e19901010203000502020903020a02020b02021007031301001702001b01011c0404', 37, '\x01050200000000000002655700041703014a4c00580f02025e4b00ac070105d4dd00b01e0406041515202039070b0b17172e2e370804041312212139390213260421202039'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-23', '\x01050480be01020001010201010602020b03010c03030f03031003031205001503031702011901011c0202', 37, '\x010501000000000000032ae3000417030131de00580f0201755200ac070102304b00b01e0405010d191f1f06052121213939070d19191f2b2b2b04242424330717161624242f2e'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-24', '\x010503ad9b01010001010103020301010402010602020805020b01010c03020e02020f03031603021702021d0202', 37, '\x010504f9e100580f0202ba57000417030200000000000001000000b01e0401fa5300ac070103172f2f09010d0d1919181f1f1f08071d1d2d2d2c3b3b040209101006030308111110'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-25', '\x010505aea902040502010901000b01000d01011104021302021403001502001702021a05031b0402', 37, '\x0105027ddd00580f02001fdc00b01e04056e540004170304b7e50000000001ede000ac0701052322223534071b232a2a353534070b0a282828363605162f2f373703122727'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-26', '\x010505f7fe01030105050201010304040402020803020902020a01000e0603120303180200190200', 37, '\x01050210e700b01e0403bbe600ac07010048480004170302154a00580f02024fdf000000000305131306030707111d1c0703030909101d1d0703030707111c1c081425252530303232'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-27', '\x010505dde401020101010202010802000903010b01010c02020d01010e01010f01011101001601001702021d0101', 37, '\x01050210e70004170303e24800ac070102585700580f0201b9e100000000015a4900b01e040319191f03172f2f050504131212040310101d041b222c3b'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-28', '\x010503ae7e000302020a02000b02020d02020e02021002021105041203021501011603031701001a02021d0200', 37, '\x010501885100ac07010100000004170306e95900b01e0401bd5300580f02020000000000000707071d1d2d3a3a071b1b2323232d2d0617172525242e04141421210523222b3535'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-29', '\x010504da9c01000201000401010505030704040901000d03031001001302021403031602021b02021c0101', 37, '\x0105017e5300ac0701019b5800580f02041f560004170303000000b01e0403224c00000000050b0a0a0f29090b0b0f0f0f29293737051b1b1b2d2d030420390409122727'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-30', '\x010505e2e501010002000202010401010603020702020903020a03030b02021003021202011301001403031702001903011c0606', 37, '\x01050146550000000004b3540004170304304f00b01e0402c4e200580f0201f55600ac07010a00000d0d0c0f0f29292909171725242e2e33323207050409131312260715152121393939051520393939'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-01', '\x010505c0fd01020201000401010901000a01010d02001001011101011302021604041802021902021d0504', 37, '\x010502af5100041703077b5400580f020199db000000000110e700b01e0401ed5500ac0701050409122727042d2d3b3b052d2d3b3b3a031a1a2306152131313333'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-02', '\x010504978b02040a02010b04020c03010d03000f03031201011502021601011702001802011904041a02001d0101', 37, '\x010503f4e10000000000e7dd00580f02007edf00b01e0402000000ac0701013ee60004170303172e2e0a1918181f1f1f2b2b34340617161625333306151431303333051a1a1a2d3b'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-03', '\x010505baa802020303020801010c06050e03030f02001102001505031a01011d0505', 37, '\x01050496e400580f0202e35500ac070100eb5700b01e0406d05a000000000006e70004170305191e1e2b2b07191822222a2a35080706111d1d1d3b3b041919192b04073b3b3b'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-04', '\x0105058b9902030202010601010c02020f03031002001101001501001701011a02021b02021c0402', 37, '\x010501fde300580f02019cde000417030610e700ac070100355a00b01e0402ad4800000000032f37370420203939040d1f1f1f0405043838061919222a3535'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-05', '\x010503f49101010101000203020402010802010902000b06000e02011001011204021702021803021903011c0101', 37, '\x01050400000004170300645200b01e0403000000ac070100e35900580f0201addc00000000051616162f2f07161616242430320702090811101d1c062525313133320705050412122139'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-06', '\x010505a5db01020202010302010602020802000902010a01010c03000e02020f0101120202130101180301190302', 37, '\x010502825800ac0701007f4800580f0201ddde00b01e040231e10004170306964c00000000062525303033320505041312270315313306070610101d1d060d0d1818181f'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-07', '\x010504a3c301020302010502000602010e02020f02001401011602001703021802011903031b03031d0300', 37, '\x010501b0e20000000001000000580f02029f5100ac070105b44a00b01e0403a0e2000417030907061d1d2c2c3a3a3a070a0a292f2f3737040d0c1e1e022e37053130333333'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-08', '\x0105048fa901020102020202010403020805020903030e02021102021303021501011a0201', 37, '\x0105018e4800ac0701040000000000000602dc00580f0200fe4f000417030101e000b01e0405030811111d0523232b353406090913272726040504131305031010101d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-09', '\x010505c8d201020003000201010402000504040702020901010d02011103001305051405021602011a0301', 37, '\x01050400de00041703014c4f00580f0202fddc0000000003b54f00ac0701024a4f00b01e0404080827270a0000000b0b0f0f292828050513272727040b0b29280a1b1a2222222d2c353434'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-10', '\x010504f8ac01010002020102020201010401000603030803000c02000d05020f02001103001303021605051c01011d0404', 37, '\x01050148500000000001295500580f02017bdc00b01e04088c5400ac070101000000041703091b1a2222222d2d3b3b09030308101010272726081b1a1a2d2d2d3b3b0205390901010d0d0d18181e1e'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-11', '\x0105059bf601010003010302010601010b01000c02000e03031102011201011503031601011a02021d0201', 37, '\x010502335b00580f020010e700b01e04027c5a000000000358490004170301045500ac070104071d2d3b02162504061d1d3a09181823222b2b2b3535040100000d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-12', '\x0105029f69000002010105020301000402020603020702020804020e02020f0101130101', 37, '\x010503000000580f0204cb5900ac07010000000004170302d45a00b01e0403000000000000020d1f0502020210100601000d0c0f0f050611111d1d050303090927'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-13', '\x0105059aff01020101010202010303020702020802000902000a03030b01010e02021001011202011301011402011702001901011c0303', 37, '\x010501df5a00580f0201bb4e00041703036ee400b01e0401374e00000000055be300ac0701050412122739061725242e2e33040f0f2928080307070610101d1d0705151515213939'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-14', '\x010505f0a101000502020702020902020b05000d0201120403130201140100160101170201180303190505', 37, '\x01050128530000000001ca4900580f0201345500ac070102784800b01e0406525600041703031b1a2d050b0b0f0f2804131327260916161625242f2e33330a16162525313131333333'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-15', '\x010505e2e001010101000203030302010402010801000901001002021803001901011c04021d0202', 37, '\x01050372480000000003f35900b01e040164e300580f0201595600ac07010240540004170304020908100605122121393804303030330407063b3b0405053938'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-16', '\x010505e2e601020003020102020602020701000801000b02010e02001402011702001801001903011b0200', 37, '\x010501dc4d00ac0701024d540004170302d0db00b01e0404d5e500580f0201944f0000000005010d0e292804303332320617162e2e3636050303101c1c0301000d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-17', '\x010505cf8002020001000201000503010702010901010b01010d01011102021201001303011403021602021702011a01001b0303', 37, '\x01050349570000000001f9e600ac0701014f5400580f020153e000b01e04066b4d00041703050b29373737061b23232d2d340417242f2e05041327262607000a0a0f0e2928'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-18', '\x0105059be901020302020a01010b02020d01011002011102001201011502021602011a03021c03031d0202', 37, '\x010501d6e500041703053a4900580f020279de00ac070102404e0000000002d25800b01e04051b22222d340507072c3b3b042b2b35350317172506152120393939'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-19', '\x010504eac601020201010303030402020901000a02020e02011001011202001303021801001903011c0202', 37, '\x010505174e00ac070101a3db00b01e04025fde00580f0202515b0000000001000000041703050707071d1c06151521303939030909270405122726052424333232'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-20', '\x01050586ae01000202020303030602020802020a03010e03030f02021003031801011c03031d0303', 37, '\x010502f04a0004170304574e00580f0201cc5700ac070100085300b01e0404eb520000000006050515212139040d0d1f1f06070711111d3b05071d1d3b3b06141421313939'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-21', '\x010505a8e101020103030203010302010402010804010901010d01000e04041101011301011601011a01011c02021d0200', 37, '\x010502b0dd0000000001485400b01e0403f9db0004170304774c00ac070100405600580f0206050404133939020927090303030811101d1d1d07070610101d3a3a041a232d35'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-22', '\x010505f7c701010102020402010802020a01010b02011101011703031802011901011a0201', 37, '\x010501695200ac07010550560000000001d44700580f020231e200b01e040139510004170303030908030311110517162f2f2f032335340415313033'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-23', '\x010505a5c102030001000503020603010702020a02010c03000f01001002001101001402001501001701011a02011b0201', 37, '\x010503cbe50000000002ae5800b01e0406a0e000ac07010110e700580f02007c5a00041703050b0a2f3736050b0f0f282807181818222a3534041514202005000d0c0c1e'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-24', '\x010504cfa801010003030302020602020801000a01010d02020e06010f03021001001604031802011d0303', 37, '\x01050266db00ac070101204f00580f020100000000000005fb5900b01e0403ce4f00041703080101010d0d1f1f1e0807071c1c1c2d2c3b0415203130061b1b2d2d3b3b04101d1c1c'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-25', '\x01050587ef01020103000201010305000403030902020e04041103001303001503001602021a03031d0403', 37, '\x01050214e300ac070100765300580f02030c4d000000000345e50004170300ac4e00b01e04050202020909092222222a2a2a35353507050913132626260606061d1d3b3a090606061d1d2d2d3b3b'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-26', '\x010505e3b401010101000204030802020903000a02000c02010e01011002011202021502021802001901011a02001c0202', 37, '\x010503bd560000000001da4700580f0202b74f00ac070100824a00b01e040293e1000417030605050512121207141425253030330619182b2b3434050421203939040211111d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-27', '\x010505829b02030502010706040a02020b04031002011403021704031803001902011b0202', 37, '\x010501b45300000000017a5800041703010ade00b01e04063adc00ac07010210e700580f02061717162f2f2e04172f3737060b0a0f0f0f28050f0e0e292909151521203030303332'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-28', '\x010505ebf901020002020103020303020403030602020806030d02000e0705160100', 37, '\x010503f6e5000000000047dd00580f0200405b0004170300ed5400b01e0409814900ac07010a030209090911111d1c1c06030707101d1d031a1a2c06061110101d1d0401010d0d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-29', '\x010505f58a02020108030303020401010805040b02020e0504120201130202190200', 37, '\x010503f9e40000000000295600580f020790e00004170300f05400b01e0402d35400ac07010602020209272706171725243232050711101d1d050303111d1c08030202070611111d'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-30', '\x010505b2c501010202000302010503020901010a03000b02001003011201001802021902021b01001c01011d0300', 37, '\x010502b5540000000006375100580f0201a84c00b01e0402c9db00ac0701015554000417030507063a3a3a051616243333040b0b0a360614141420313106040413212039'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-31', '\x010303f86f010102000402020803000c03000d02020e01001104041501011a0100', 23, '\x0103066d510000000000d3dc00580f0203b84900ac070108020209091010101c0718181823232b34041b1b2323');

INSERT INTO public.fork_months VALUES
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-01', '\x010c010f9ba3003aae8f0106efa600e6b590010825120036978c01122f9d00761c7c0107d49f002a5283010b34a5002e6986010a10a7003ec592010d93a60046f398010f10a7009aeb97011454a600f2fa99010ed5a4006eee75010b1da00096d494'),
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-01', '\x010c010ee8a30092bd91010f5aa2008ea68e010c10a700eee396011081a3004a0a9c011210a7009e029b010960a60046f398010a10a7008a8f8b010710a7009aeb97010d10a7003aae8f010e33a200263b80010880a40096d4940110a7a5002e6986'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-09-01', '\x010c010876a6006c5895011110a700684192010699a000c47c55010e1fa5009c8178010ebba600706f98010bffa100144993010d10a700b0f487011210a700642a8f010e10a7001c7799010e10a700f07977010810a700c46797010a10a700186096'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '2026-10-01', '\x010c010ad6a50058e585011110a7006c58950115f6a5006841920109f9a60054ce82010b6ea400a0987b010f3ea600208e9c010a64a300e4346e010b10a700c467970109d5a50074869b010c90a000c05094010c10a700186096011010a700706f98');

INSERT INTO public.forks VALUES
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '50f89893-ae04-4f07-b036-bba78dbaad44', '5cdbf456-59c9-404f-ab81-1eab7959eb67', 'fork-1', 'Fork 1', 1, 'active', 'organization', 'en', 8, false, NULL, '2026-10-31 12:00:00+00', '2026-10-31 12:00:00+00'),
	('bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '50f89893-ae04-4f07-b036-bba78dbaad44', '5cdbf456-59c9-404f-ab81-1eab7959eb67', 'fork-2', 'Fork 2', 1, 'active', 'organization', 'en', 8, false, NULL, '2026-10-31 12:00:00+00', '2026-10-31 12:00:00+00');

INSERT INTO public.games VALUES
	('5cdbf456-59c9-404f-ab81-1eab7959eb67', 'scale', 'Scale');

INSERT INTO public.goose_db_version VALUES
	(1, 0, true, '2026-11-21 20:24:09.112867'),
	(2, 20261121000100, true, '2026-11-21 20:24:09.135749'),
	(3, 20261121000200, true, '2026-11-21 20:24:09.168437'),
	(4, 20261121000300, true, '2026-11-21 20:24:09.187929'),
	(5, 20261121000400, true, '2026-11-21 20:24:09.192884'),
	(6, 20261121000500, true, '2026-11-21 20:24:09.200257'),
	(7, 20261121000600, true, '2026-11-21 20:24:09.216004'),
	(8, 20261121000700, true, '2026-11-21 20:24:09.225896'),
	(9, 20261121000800, true, '2026-11-21 20:24:09.228599'),
	(10, 20261121000900, true, '2026-11-21 20:24:09.239227');

INSERT INTO public.group_members VALUES
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 1),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'b0759ca5-516d-41fd-9d2a-4e3e99bcbf96', 1),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 2),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'b0759ca5-516d-41fd-9d2a-4e3e99bcbf96', 2),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 3),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'b0759ca5-516d-41fd-9d2a-4e3e99bcbf96', 3),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 4),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 5),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 6),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 7),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'be0e4973-67a2-46a0-93c6-952c0d01ed53', 8);

INSERT INTO public.memberships VALUES
	('50f89893-ae04-4f07-b036-bba78dbaad44', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'owner'),
	('50f89893-ae04-4f07-b036-bba78dbaad44', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0002', 'admin'),
	('6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0003', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0002', 'member');

INSERT INTO public.organisations VALUES
	('6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0003', 'other', 'Other', 'free', 'nominative', 1),
	('50f89893-ae04-4f07-b036-bba78dbaad44', 'scale-50f89893', 'Scale', 'enterprise', 'pseudonymous', 2);

INSERT INTO public.password_guesses VALUES
	('\x95411d49fc6ebe59c4dfd93d064a1b173ce4a305a8ef5dd3dfd3574b809c57db', 0, '2026-11-21 20:24:10.687+00');

INSERT INTO public.player_groups VALUES
	('b0759ca5-516d-41fd-9d2a-4e3e99bcbf96', '50f89893-ae04-4f07-b036-bba78dbaad44', 'Group of 3'),
	('be0e4973-67a2-46a0-93c6-952c0d01ed53', '50f89893-ae04-4f07-b036-bba78dbaad44', 'Group of 8');

INSERT INTO public.player_ordinals VALUES
	('50f89893-ae04-4f07-b036-bba78dbaad44', 12);

INSERT INTO public.players VALUES
	('6c229c56-53f0-4125-8aeb-2f0e562cdf35', '50f89893-ae04-4f07-b036-bba78dbaad44', 1, 'P-9KQHGBGZGM', 'Player 1'),
	('26ff175a-14cd-4527-aa02-6945c6a02719', '50f89893-ae04-4f07-b036-bba78dbaad44', 2, 'P-W0JYVD64HV', 'Player 2'),
	('2d48c6eb-8e3c-46b4-8063-5fcc75a785f6', '50f89893-ae04-4f07-b036-bba78dbaad44', 3, 'P-AV44CFAVMA', 'Player 3'),
	('902b90f9-dc81-43e0-8c9a-99f0dbd20a27', '50f89893-ae04-4f07-b036-bba78dbaad44', 4, 'P-6Q7ATX6X0Q', 'Player 4'),
	('d03ac0a7-c5de-4299-b1b8-02abaa7ae50c', '50f89893-ae04-4f07-b036-bba78dbaad44', 5, 'P-1MBMQ182Y3', 'Player 5'),
	('90c4c4a6-608f-4205-9bba-026d22cd7da9', '50f89893-ae04-4f07-b036-bba78dbaad44', 6, 'P-BDMMN3BGJW', 'Player 6'),
	('f452b237-03a3-4766-858b-da5334c2b027', '50f89893-ae04-4f07-b036-bba78dbaad44', 7, 'P-0FEZE1PKYX', 'Player 7'),
	('73068b0c-cebd-4805-ad48-7e364ba43e7b', '50f89893-ae04-4f07-b036-bba78dbaad44', 8, 'P-KRPN2WPA2Z', 'Player 8'),
	('b04b744b-5ace-4a9e-9775-7e22c5576e02', '50f89893-ae04-4f07-b036-bba78dbaad44', 9, 'P-H8WF9JM8Y8', 'Player 9'),
	('84ed6df9-e39f-4900-a138-ad76a119b0c4', '50f89893-ae04-4f07-b036-bba78dbaad44', 10, 'P-YXMYABQD9D', 'Player 10'),
	('0605076f-6a5a-48f4-a8bb-e621ae2c929a', '50f89893-ae04-4f07-b036-bba78dbaad44', 11, 'P-CPQEYX2XNE', 'Player 11'),
	('595f3872-3922-4321-b8a5-c60851797bcc', '50f89893-ae04-4f07-b036-bba78dbaad44', 12, 'P-06X7H9XPVD', 'Player 12');

INSERT INTO public.plays VALUES
	('2026-09-01 12:00:00+00', '2026-09-01 12:19:50.146+00', 10, 1, 3460, false, '682614d8-ca7c-4327-9c51-eb0f23162943', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07071d'),
	('2026-09-01 16:48:00+00', '2026-09-01 17:07:05.755+00', 10, 1, 5708, false, '34d3f3f9-6a5d-4513-8cfa-2f075936f73f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17252f2f3737'),
	('2026-09-01 21:36:00+00', '2026-09-01 21:45:06.233+00', 1, 1, 9115, true, 'f4c7fcef-cabf-41b8-b839-138db4c8bd83', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x06061d1d3b'),
	('2026-09-02 02:24:00+00', '2026-09-02 02:43:38.944+00', 4, 1, 2547, false, '981ca685-90a5-448b-aa2b-2dd638cb6f71', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07071d2d3a'),
	('2026-09-02 07:12:00+00', '2026-09-02 07:21:29.608+00', 6, 1, 4154, false, 'cca9c143-e618-4f9c-9b26-9b2b5f027a0c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x00000e0e2929'),
	('2026-09-02 12:00:00+00', '2026-09-02 12:01:02.425+00', 6, 1, 5353, false, '5fab1c1e-5b7f-45a5-86ee-0e268da4b524', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2b2a34'),
	('2026-09-02 16:48:00+00', '2026-09-02 17:07:55.223+00', 1, 1, 8416, true, '2f5982bb-0756-4768-b375-81612d945376', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0707071c1c1c2d3a'),
	('2026-09-02 21:36:00+00', '2026-09-02 21:38:40.967+00', 5, 1, 7372, true, 'ae3c7a2b-c049-4474-a332-26d63fc674ec', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d19181e1e1e'),
	('2026-09-03 02:24:00+00', NULL, 4, 1, NULL, NULL, '8c4272ec-3bdc-4396-8583-fd8fd0c6d87a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x252533'),
	('2026-09-03 07:12:00+00', '2026-09-03 07:20:09.93+00', 10, 1, 4159, false, '654f924f-884f-4dee-b24a-9aed4c2f2ba4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0e0e292928'),
	('2026-09-03 12:00:00+00', NULL, 6, 1, NULL, NULL, '92bc9295-ab84-47ed-a809-f68e898de49f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030908132626'),
	('2026-09-03 16:48:00+00', '2026-09-03 16:58:05.74+00', 12, 1, 6750, false, '136c1a43-32e3-4bf1-a113-3daaff56ed99', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x05212139'),
	('2026-09-03 21:36:00+00', '2026-09-03 21:40:11.139+00', 9, 1, 4052, false, 'b2c4ea20-43de-429e-8559-7cc3c3952ee0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010a0a0f2928'),
	('2026-09-04 02:24:00+00', '2026-09-04 02:41:42.508+00', 4, 1, 5687, false, '52ea0d53-9cb2-4fc6-8a9d-85d077873249', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x21203838'),
	('2026-09-04 07:12:00+00', NULL, 12, 1, NULL, NULL, '06d477cf-b667-404b-b5f2-c49ab86c6030', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x171624243232'),
	('2026-09-04 12:00:00+00', '2026-09-04 12:02:38.716+00', 5, 1, 6423, false, '9dd125eb-bd10-4b95-9b45-08e0d1a98726', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x040413121220202039'),
	('2026-09-04 16:48:00+00', NULL, 3, 1, NULL, NULL, '49d4aab5-cb6e-4bb6-a800-a69a8eac27de', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2039'),
	('2026-09-04 21:36:00+00', '2026-09-04 21:40:49.525+00', 2, 1, 5706, false, '8242e980-673d-41ec-a5c7-5a09e6aded18', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x010d0e29'),
	('2026-09-05 02:24:00+00', '2026-09-05 02:28:34.067+00', 4, 1, 7471, true, '6ee6bd57-b679-4bba-95ac-d682c47ba4f3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b232d2c'),
	('2026-09-05 07:12:00+00', '2026-09-05 07:20:32.544+00', 3, 1, 4352, false, 'a1caa056-dd11-4485-a908-5831f3403e71', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01000e0e2928'),
	('2026-09-05 12:00:00+00', '2026-09-05 12:09:47.974+00', 3, 1, 2101, false, 'e7139c60-5c9d-4d72-8ba8-bbf206474cd4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x16162525'),
	('2026-09-05 16:48:00+00', '2026-09-05 16:54:01.93+00', 2, 1, 5301, false, 'e4505ae2-f9a4-4be2-a852-1fbdd07e6b51', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0a0a3736'),
	('2026-09-05 21:36:00+00', '2026-09-05 21:42:51.53+00', 11, 1, 7687, true, '942223ed-47c3-4d77-b35e-29cffe89aaf4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0309081226'),
	('2026-09-06 02:24:00+00', '2026-09-06 02:32:41.071+00', 9, 1, 3928, false, '474687f1-db1a-42c1-8736-a42a068a8459', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x22223535'),
	('2026-09-06 07:12:00+00', '2026-09-06 07:23:58.222+00', 12, 1, 3174, false, '822f5244-223e-4146-9c17-257a98cd7e5c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0a0a2e37'),
	('2026-09-06 12:00:00+00', '2026-09-06 12:20:10.996+00', 11, 1, 8198, true, '47c2b51b-fd8b-4ec3-8dd5-2b1d476e3e39', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b2c3a3a'),
	('2026-09-06 16:48:00+00', '2026-09-06 16:56:32.092+00', 10, 1, 3724, false, 'b8f8633f-1450-45f5-8cd4-8803a1d6c30b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0513393838'),
	('2026-09-06 21:36:00+00', '2026-09-06 21:45:21.196+00', 7, 1, 10000, true, 'be7ffd6f-ee84-445b-9c19-78a64628a897', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15303333'),
	('2026-09-07 02:24:00+00', '2026-09-07 02:25:04.308+00', 6, 1, 2417, false, '75e7a6c8-8065-4661-ad90-56e0f84c3c58', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b29292f3636'),
	('2026-09-07 07:12:00+00', '2026-09-07 07:26:55.683+00', 6, 1, 2720, false, 'd3af6273-ee98-4af7-a601-c9cb0e8e1d74', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030202111111'),
	('2026-09-07 12:00:00+00', '2026-09-07 12:10:05.414+00', 1, 1, 2110, false, 'f21c8658-9e8a-46d9-bfcc-cc75ae2eb299', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07063a3a'),
	('2026-09-07 16:48:00+00', '2026-09-07 16:49:55.816+00', 4, 1, 4109, false, 'c9b5d3da-114a-4fbd-95aa-3f6f9b1b93e4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x151521213938'),
	('2026-09-07 21:36:00+00', '2026-09-07 21:54:52.133+00', 10, 1, 3181, false, '27206ccd-b89d-4d80-b1b8-24dd86fb735f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050505081327'),
	('2026-09-08 02:24:00+00', '2026-09-08 02:39:28.086+00', 10, 1, 6237, false, '9ba34ae8-10f8-4376-b409-7142db4cd9d6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b0f2929'),
	('2026-09-08 07:12:00+00', '2026-09-08 07:22:35.201+00', 1, 1, 4773, false, 'c762207b-07d4-4680-aacc-91061500b740', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101010f'),
	('2026-09-08 12:00:00+00', '2026-09-08 12:14:22.21+00', 11, 1, 9429, true, 'd7d745f0-c203-4726-8c96-bdcb6e83a5ff', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x23232b2a2a3434'),
	('2026-09-08 16:48:00+00', '2026-09-08 16:51:13.555+00', 2, 1, 6944, false, 'ef6a7065-cc79-4725-998d-35d3fb6806df', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x051312'),
	('2026-09-08 21:36:00+00', '2026-09-08 21:49:03.634+00', 1, 1, 6653, false, '2703b074-e858-4957-9c27-8032f01fb6c4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15213039'),
	('2026-09-09 02:24:00+00', NULL, 4, 2, NULL, NULL, 'b6e6f4fd-e1c3-4983-90ca-e80a2ed32ce0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17172525'),
	('2026-09-09 07:12:00+00', '2026-09-09 07:19:55.264+00', 7, 2, 5222, false, '292ac2ef-476f-4e9f-8b74-de414081b103', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07071d1d1c'),
	('2026-09-09 12:00:00+00', '2026-09-09 12:10:58.255+00', 11, 2, 6704, false, 'cc11fa7c-023d-4f6a-9e63-b5b54598f89d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x16162424'),
	('2026-09-09 16:48:00+00', '2026-09-09 17:07:25.551+00', 1, 2, 8474, true, '281802d3-6e80-4852-a56c-bb096cd425d7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2e2e3737'),
	('2026-09-09 21:36:00+00', '2026-09-09 21:51:00.079+00', 11, 2, 9264, true, '1346ff62-8dd9-41a8-9d63-1e8394c155f1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0706062d2d3b3a'),
	('2026-09-10 02:24:00+00', '2026-09-10 02:36:13.713+00', 10, 2, 3818, false, 'a670c5f1-c3bc-46a8-8044-f083b6dce147', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x05131313273939'),
	('2026-09-10 07:12:00+00', '2026-09-10 07:16:29.86+00', 9, 2, 5021, false, '6a6adab8-3c8f-4680-be53-89ca527428d3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x22222b3535'),
	('2026-09-10 12:00:00+00', '2026-09-10 12:19:00.64+00', 3, 2, 3003, false, '47549836-6a51-4b90-879f-f9d8b4672520', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2a2a35'),
	('2026-09-10 16:48:00+00', '2026-09-10 17:00:20.812+00', 10, 2, 4043, false, '3bd12bd3-ef95-42dd-9378-fe5ef624246d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1111101d1d'),
	('2026-09-10 21:36:00+00', '2026-09-10 21:46:11.623+00', 9, 2, 4760, false, '3cb314c0-1157-4b90-8053-08e73b0d23c0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07071b1b2d2d3a3a'),
	('2026-09-11 02:24:00+00', '2026-09-11 02:36:20.246+00', 12, 2, 3487, false, '041c5c2a-b054-4269-9840-d4d0e2672dfa', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x152525253131303232'),
	('2026-09-11 07:12:00+00', '2026-09-11 07:22:29.794+00', 6, 2, 7371, true, 'bff85912-9c72-46d1-86bf-a372f6e21209', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15313131'),
	('2026-09-11 12:00:00+00', '2026-09-11 12:08:42.407+00', 6, 2, 9524, true, '18ad2616-0091-481a-ba38-90ffaed95e6e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0309'),
	('2026-09-11 16:48:00+00', NULL, 11, 2, NULL, NULL, 'fabcb18c-5a1e-4383-b082-ff02529292b8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x25243333'),
	('2026-09-11 21:36:00+00', '2026-09-11 21:53:34.389+00', 12, 2, 6783, false, '812e28eb-92e7-4f0e-a8a8-f63657b07563', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d1f1e1e'),
	('2026-09-12 02:24:00+00', '2026-09-12 02:41:56.955+00', 6, 2, 2649, false, '887ed7c4-92be-41bd-b807-c19c9d47d2da', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0a0f2828373736'),
	('2026-09-12 07:12:00+00', '2026-09-12 07:21:10.027+00', 4, 2, 6063, false, '9663e8c6-6eeb-4a8f-9544-e694758d5d75', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1521313838'),
	('2026-09-12 12:00:00+00', '2026-09-12 12:09:08.773+00', 5, 2, 2963, false, 'dd07c2ab-61a7-4f8d-bec0-50fb92a76330', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0100000e0e292929'),
	('2026-09-12 16:48:00+00', '2026-09-12 16:52:58.3+00', 1, 2, 4904, false, '2d60c96e-3d21-4c69-b483-aa005a94d6e4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0a0a0e0e2929'),
	('2026-09-12 21:36:00+00', '2026-09-12 21:46:27.212+00', 7, 2, 5826, false, '5a4762dd-9b88-48e8-b1ad-6e9d069be188', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x04131221213939'),
	('2026-09-13 02:24:00+00', '2026-09-13 02:33:36.12+00', 8, 2, 3499, false, 'e6cbc279-271c-4d9f-a7fe-6fe290f164e2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050504132727'),
	('2026-09-13 07:12:00+00', '2026-09-13 07:16:33.621+00', 11, 2, 7147, true, '6e689e60-82d7-45ad-8fca-c2fcf3586351', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1918181f1e2b3434'),
	('2026-09-13 12:00:00+00', '2026-09-13 12:19:30.249+00', 6, 2, 8418, true, '877dd5ea-b033-4ded-b4fc-6ee7e2df55b1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0100000f0f2929'),
	('2026-09-13 16:48:00+00', '2026-09-13 16:56:50.286+00', 11, 2, 8089, true, 'f0765a57-43c5-4b65-b88e-d6e9d7611785', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030202080811111d1c1c'),
	('2026-09-13 21:36:00+00', '2026-09-13 21:56:09.202+00', 11, 2, 8188, true, '508eb8c1-469e-4879-abc4-5a05e2503185', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050404090813131327'),
	('2026-09-14 02:24:00+00', NULL, 9, 2, NULL, NULL, '1b74fbd2-e89e-4b37-aab9-addea1ac6ff6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1521313030383838'),
	('2026-09-14 07:12:00+00', NULL, 4, 2, NULL, NULL, 'e158c40d-6999-46ec-8a12-c1e39e4fbe09', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101000f'),
	('2026-09-14 12:00:00+00', '2026-09-14 12:02:23.289+00', 6, 2, 5313, false, 'a178e717-85fd-4d83-baf9-212ccd8165ab', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x02020813132626'),
	('2026-09-14 16:48:00+00', '2026-09-14 17:03:25.135+00', 8, 2, 5105, false, 'ddaf8de3-5154-48e4-b319-912b31d8783a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d1f1e'),
	('2026-09-14 21:36:00+00', '2026-09-14 21:43:30.215+00', 9, 2, 10000, true, '99290274-7617-4611-ae82-a2a6a8a68798', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03030911272626'),
	('2026-09-15 02:24:00+00', '2026-09-15 02:30:25.139+00', 4, 2, 2572, false, '7b755523-675b-44c9-9c3f-d84493782716', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x06061d1d'),
	('2026-09-15 07:12:00+00', '2026-09-15 07:19:37.859+00', 10, 2, 7045, true, 'cfea0f5a-f334-4330-b251-ece0f6995c46', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1a2d3b3b'),
	('2026-09-15 12:00:00+00', '2026-09-15 12:19:30.61+00', 1, 2, 3493, false, '11c0481c-11e3-466b-9313-101c5f6de8ae', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15212121313039'),
	('2026-09-15 16:48:00+00', '2026-09-15 16:58:49.274+00', 1, 2, 6227, false, '59c1db0c-4993-4cd0-b4eb-ddd51275c2e2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x143030303333'),
	('2026-09-15 21:36:00+00', NULL, 4, 2, NULL, NULL, 'ca189321-057e-48c8-bc1f-55310954de1c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2335'),
	('2026-09-16 02:24:00+00', '2026-09-16 02:25:10.465+00', 4, 2, 5962, false, 'de9a8f77-c43c-432b-93e1-16f27605e98f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x243333'),
	('2026-09-16 07:12:00+00', '2026-09-16 07:15:09.345+00', 3, 2, 4645, false, 'd5c5f0c4-6cba-4ae3-a81a-aada35c29c6d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0505131321213838'),
	('2026-09-16 12:00:00+00', NULL, 9, 3, NULL, NULL, '3b805137-ac74-4e87-a4ee-669eed3d7086', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050514213838'),
	('2026-09-16 16:48:00+00', NULL, 11, 3, NULL, NULL, '8a129be0-20ba-4c7b-b588-da97a1a026e5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x232a2a2a3535'),
	('2026-09-16 21:36:00+00', '2026-09-16 21:56:39.91+00', 5, 3, 7371, true, '7906ecff-8d79-46d6-b707-2a23784e00cd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x31313333'),
	('2026-09-17 02:24:00+00', NULL, 1, 3, NULL, NULL, '49509a8a-3277-4da1-b324-b4c7370f87af', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x19181f2a353434'),
	('2026-09-17 07:12:00+00', NULL, 11, 3, NULL, NULL, '1290526f-130b-41cd-9518-f9eb66d238db', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b0f0f29292837'),
	('2026-09-17 12:00:00+00', '2026-09-17 12:14:33.182+00', 1, 3, 5128, false, 'b9dbf916-37d2-49f9-91f2-5755854c1796', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0309091110101d'),
	('2026-09-17 16:48:00+00', '2026-09-17 17:05:31.906+00', 8, 3, 7698, true, '3af76da8-fa85-4280-b1e4-848856447c88', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x16162424'),
	('2026-09-17 21:36:00+00', '2026-09-17 21:52:20.987+00', 10, 3, 9812, true, '9b151b0d-a820-49b6-a882-838080252e93', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x22223535'),
	('2026-09-18 02:24:00+00', '2026-09-18 02:28:00.877+00', 1, 3, 4603, false, 'f1c3c420-010d-4f0f-9e09-c12ac5907a66', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15153131'),
	('2026-09-18 07:12:00+00', NULL, 9, 3, NULL, NULL, '34cb4cde-c687-440b-9b7b-3a2613fa7292', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15151421303838'),
	('2026-09-18 12:00:00+00', '2026-09-18 12:09:57.399+00', 9, 3, 8406, true, 'ae6d8e71-d368-4fd8-a3e2-03c8494f4789', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071b2c3b3b3b'),
	('2026-09-18 16:48:00+00', '2026-09-18 17:07:45.257+00', 8, 3, 2381, false, '4ca608c2-009d-4b9d-bf8e-eefc07fe431a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15142020313132'),
	('2026-09-18 21:36:00+00', '2026-09-18 21:50:54.567+00', 4, 3, 3690, false, '60e85153-1817-4ad6-96a4-5db62a56505b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x05050514142139'),
	('2026-09-19 02:24:00+00', '2026-09-19 02:34:54.218+00', 10, 3, 3018, false, 'a4496713-6b5d-493f-98f6-f50ef7aacfe8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101000d0d'),
	('2026-09-19 07:12:00+00', NULL, 8, 3, NULL, NULL, '9936739f-6d9c-404e-bccc-b0b4a49db926', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0706061d1c'),
	('2026-09-19 12:00:00+00', '2026-09-19 12:06:21.279+00', 1, 3, 6302, false, 'a320e0fe-601c-4d6d-b21a-9d776261da33', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0f0f292929'),
	('2026-09-19 16:48:00+00', '2026-09-19 16:56:13.027+00', 7, 3, 10000, true, '30dcb410-58b7-4604-864c-8fa3c5afbe37', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x141431'),
	('2026-09-19 21:36:00+00', '2026-09-19 21:54:40.845+00', 11, 3, 3624, false, '3fcbf633-faa4-4384-a5d0-96abdda08c9e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1111111d'),
	('2026-09-20 02:24:00+00', '2026-09-20 02:27:12.664+00', 8, 3, 5180, false, '05c14dbe-f7a2-4a5b-bf40-45dfb3c3b49d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17172f'),
	('2026-09-20 07:12:00+00', NULL, 7, 3, NULL, NULL, '00111679-a5e3-4efd-89a6-713af106cb79', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0710101d1d'),
	('2026-09-20 12:00:00+00', NULL, 1, 3, NULL, NULL, '01202750-9242-4e46-941a-9ca29e96fc36', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x09090812122726'),
	('2026-09-20 16:48:00+00', '2026-09-20 16:56:29.64+00', 4, 3, 4178, false, '3c350812-5589-4821-8334-aeecb45bc79e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1b233534'),
	('2026-09-20 21:36:00+00', NULL, 4, 3, NULL, NULL, 'd7ceafeb-9c4e-447f-87c3-cd35da573c41', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0303111d'),
	('2026-09-21 02:24:00+00', NULL, 8, 3, NULL, NULL, 'e1be7024-7e3b-48d8-92ad-0f27024fcf1f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0c0c19181e1e2b2b'),
	('2026-09-21 07:12:00+00', '2026-09-21 07:27:05.083+00', 10, 3, 2929, false, '4305e3e7-1acc-47b4-9f59-f1318da37f08', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2f2e373636'),
	('2026-09-21 12:00:00+00', '2026-09-21 12:04:38.728+00', 4, 3, 5137, false, 'b15dbbab-00b0-4d59-ab90-327279ea0e4e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0309092727'),
	('2026-09-21 16:48:00+00', '2026-09-21 17:01:56.696+00', 11, 3, 2188, false, 'af4ec783-70e7-43c3-a559-74e664fd30a0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101010b0b0f292928'),
	('2026-09-21 21:36:00+00', '2026-09-21 21:38:31.652+00', 10, 3, 6730, false, 'a4495f32-1fa0-43c2-a15f-c93421965a4e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x31303232'),
	('2026-09-22 02:24:00+00', '2026-09-22 02:43:46.297+00', 2, 3, 3099, false, 'd8dedcfd-3c3a-460f-8a93-0353c2c87a23', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d0d1f'),
	('2026-09-22 07:12:00+00', NULL, 9, 3, NULL, NULL, 'b64cc4a2-c74f-4550-85df-44ba9fd0e428', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101000f0f'),
	('2026-09-22 12:00:00+00', '2026-09-22 12:04:23.789+00', 5, 3, 8148, true, '61843902-8e2d-4eee-8bc4-1917630ef3f0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x14252431313232'),
	('2026-09-22 16:48:00+00', '2026-09-22 16:50:35.789+00', 12, 3, 8221, true, '79de7692-c384-4fe6-9175-bf9489284961', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07061d1c1c'),
	('2026-09-22 21:36:00+00', '2026-09-22 21:48:48.242+00', 10, 3, 3677, false, '8d8fe6dd-0a98-4bf1-b0f7-b1c76b588863', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b0f0f0e28283737'),
	('2026-09-23 02:24:00+00', '2026-09-23 02:43:20.407+00', 7, 3, 4174, false, '268a4c9f-f5c3-4f93-8de5-bc15ac978ab1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b0a3636'),
	('2026-09-23 07:12:00+00', '2026-09-23 07:14:32.758+00', 8, 3, 9875, true, '49228efd-9e0c-488a-8d72-6595749a5d94', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0c1f'),
	('2026-09-23 12:00:00+00', '2026-09-23 12:10:40.857+00', 12, 3, 2954, false, '173bc2f2-baeb-4910-b670-06566ed2ee39', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1515142121303033'),
	('2026-09-23 16:48:00+00', '2026-09-23 17:00:22.158+00', 8, 3, 6781, false, '006fe275-0ea3-4729-a40d-572d7ae4f608', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x16162524'),
	('2026-09-23 21:36:00+00', '2026-09-23 21:49:30.214+00', 11, 3, 5853, false, '636866ea-ae74-4f16-aba1-d8f6de52a22e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0a2f2e37'),
	('2026-09-24 02:24:00+00', '2026-09-24 02:38:36.559+00', 8, 4, 4638, false, '6a478135-87f0-41f1-bf01-6dd3413299f5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030309091110102726'),
	('2026-09-24 07:12:00+00', '2026-09-24 07:21:11.518+00', 4, 4, 3489, false, '5dee0f84-298c-4d32-9979-343c398dd9cc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2b2b2a3535'),
	('2026-09-24 12:00:00+00', '2026-09-24 12:07:59.441+00', 9, 4, 6132, false, 'e4d4ae76-0239-4a05-958e-2ff4dc03767b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071a1a2d3a'),
	('2026-09-24 16:48:00+00', '2026-09-24 16:53:47.478+00', 4, 4, 4809, false, '809723f7-359e-4610-b3a7-0a291a3a391b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x010f0e'),
	('2026-09-24 21:36:00+00', '2026-09-24 21:46:31.553+00', 3, 4, 3095, false, 'bc5a80c2-92d9-4abd-95cc-8bd5dc71fef4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x161616252f2f3332'),
	('2026-09-25 02:24:00+00', '2026-09-25 02:38:04.089+00', 4, 4, 4684, false, 'aff11664-67b5-4316-9c2b-36e14988270e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x24313232'),
	('2026-09-25 07:12:00+00', '2026-09-25 07:13:17.486+00', 12, 4, 5186, false, '994cdd55-1d5b-44ec-8484-100d038663b7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2d2c2c3b3a'),
	('2026-09-25 12:00:00+00', '2026-09-25 12:12:55.037+00', 5, 4, 3087, false, 'f47233ed-c570-474c-9c86-f9eddc11b09f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15143131'),
	('2026-09-25 16:48:00+00', '2026-09-25 17:04:52.879+00', 12, 4, 5199, false, '8688aaf5-2c9e-4ccc-b12b-64b1399017f3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0404132020393838'),
	('2026-09-25 21:36:00+00', '2026-09-25 21:45:24.416+00', 7, 4, 2521, false, 'caa94519-c712-4cad-9fba-29c02b6c3a05', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0808272726'),
	('2026-09-26 02:24:00+00', '2026-09-26 02:37:55.578+00', 10, 4, 3467, false, 'e1a56346-5c97-4692-9d27-7da91d075647', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010d0d0d0e'),
	('2026-09-26 07:12:00+00', '2026-09-26 07:25:26.518+00', 9, 4, 5146, false, 'dadda2e3-e27d-418e-86c9-d2155a558349', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1b2d2d'),
	('2026-09-26 12:00:00+00', '2026-09-26 12:09:01.424+00', 5, 4, 2374, false, '8f7bdbbc-c0e8-484b-9ddf-f2b418a8bf6a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1724242f2f32'),
	('2026-09-26 16:48:00+00', '2026-09-26 17:07:33.165+00', 12, 4, 2331, false, '83492437-2a8f-4009-9f87-fc60177c608a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0303070711111c1c'),
	('2026-09-26 21:36:00+00', '2026-09-26 21:53:38.179+00', 10, 4, 4827, false, 'cdec0842-a26a-477b-8b7d-9697e5c05ac1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x171724242f2f2e323232'),
	('2026-09-27 02:24:00+00', '2026-09-27 02:28:44.726+00', 6, 4, 8725, true, 'cfebf3e7-ab3a-4422-bb1b-1b8003d15dba', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x06061d3b3b'),
	('2026-09-27 07:12:00+00', NULL, 7, 4, NULL, NULL, 'e471b7c7-4765-4f3f-b8b0-6b04611237b0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071d1d'),
	('2026-09-27 12:00:00+00', '2026-09-27 12:08:14.346+00', 7, 4, 5451, false, 'b3c43b63-78b6-4dbc-b011-dbb6e36c5f4d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0504041313272638'),
	('2026-09-27 16:48:00+00', '2026-09-27 16:50:04.489+00', 10, 4, 3462, false, 'cfc90d6f-159f-4c63-a803-78da9bbc9827', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07061c2d3b'),
	('2026-09-27 21:36:00+00', NULL, 3, 4, NULL, NULL, 'e9107c27-35aa-494d-9cd4-94766a1fe47f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0521203938'),
	('2026-09-28 02:24:00+00', '2026-09-28 02:26:23.928+00', 2, 4, 9967, true, '1ed70119-c30b-4447-b0c5-eff9c5b86f73', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0711111c1c3b'),
	('2026-09-28 07:12:00+00', '2026-09-28 07:28:33.15+00', 3, 4, 2453, false, 'f7e7a1d1-9f37-4a17-9592-4a61b0b0b424', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07071d1d'),
	('2026-09-28 12:00:00+00', '2026-09-28 12:16:53.268+00', 8, 4, 2726, false, 'e392f16b-67ad-4cd7-9698-65d37511d20b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b2828373636'),
	('2026-09-28 16:48:00+00', '2026-09-28 17:06:52.252+00', 10, 4, 6021, false, '4222c17d-5bff-412c-a6ef-e7e25601ccdc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010d0e2928'),
	('2026-09-28 21:36:00+00', NULL, 1, 4, NULL, NULL, 'b14b032d-3318-4f77-9951-691f97492fbf', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0706061b2d2c3a'),
	('2026-09-29 02:24:00+00', '2026-09-29 02:28:34.934+00', 2, 4, 2678, false, 'db71df9f-167a-4787-b898-b91f35460d36', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b28282f3636'),
	('2026-09-29 07:12:00+00', NULL, 9, 4, NULL, NULL, '2cfe88bc-7a40-447c-b75a-224d7b3f0a81', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0504213938'),
	('2026-09-29 12:00:00+00', '2026-09-29 12:20:38.14+00', 7, 4, 6955, false, '9d7be564-607e-436c-aa04-3b66a0c4afcd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1a23223535'),
	('2026-09-29 16:48:00+00', '2026-09-29 16:57:49.608+00', 8, 4, 4139, false, '784272b7-5a6f-4c11-bad3-11b0e9650f4f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x25253333'),
	('2026-09-29 21:36:00+00', '2026-09-29 21:53:49.022+00', 12, 4, 2014, false, '0a9cb2cb-8d32-4b0c-8a70-39e9199154cf', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050520393838'),
	('2026-09-30 02:24:00+00', '2026-09-30 02:29:17.092+00', 9, 4, 4882, false, '87f31044-be04-4ded-9cb1-289ef7a43c7b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2f2f37'),
	('2026-09-30 07:12:00+00', '2026-09-30 07:27:40.557+00', 10, 4, 4904, false, '99ba5d6d-40ce-43b6-a3cf-2d7f0045b5f7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b0a292936'),
	('2026-09-30 12:00:00+00', '2026-09-30 12:01:10.373+00', 9, 4, 4847, false, 'a9e95638-74b7-47c2-bf4a-29a294c25ee2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x051212'),
	('2026-09-30 16:48:00+00', '2026-09-30 17:06:24.386+00', 8, 4, 9505, true, '7fdb558a-38ba-4851-a4bc-9568d318d651', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010d18181f'),
	('2026-09-30 21:36:00+00', '2026-09-30 21:52:13.653+00', 10, 4, 5049, false, 'dc849b0c-3d3a-4dc9-bf9e-6e45b876b448', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b232d2d3a3a'),
	('2026-10-01 02:24:00+00', '2026-10-01 02:33:36.644+00', 4, 4, 7526, true, '22bf958b-30b7-4677-811d-672d15361dfa', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x010d0e1f1e'),
	('2026-10-01 07:12:00+00', '2026-10-01 07:28:22.786+00', 5, 4, 4420, false, 'b5cc7da6-9011-471f-a756-a59672439909', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0606061b2c2c3a'),
	('2026-10-01 12:00:00+00', '2026-10-01 12:13:33.127+00', 6, 5, 7209, true, 'b27d0cf5-36db-4c6a-87de-2153d6f01937', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1a1a22223534'),
	('2026-10-01 16:48:00+00', '2026-10-01 17:01:36.232+00', 7, 5, 4332, false, '5bb96c97-e8b2-40b8-ad5a-3143bd8dc001', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03082727'),
	('2026-10-01 21:36:00+00', '2026-10-01 21:49:19.385+00', 5, 5, 8899, true, '70e19900-cf70-45e7-bf39-61becf10c243', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x242424313133'),
	('2026-10-02 02:24:00+00', '2026-10-02 02:28:35.147+00', 5, 5, 4687, false, 'd9cb44a7-d457-4bc0-9613-20614732028a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x14303333'),
	('2026-10-02 07:12:00+00', '2026-10-02 07:28:12.272+00', 4, 5, 4111, false, '6d857c1d-0969-4520-8675-d31aa31b4b76', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0000000d'),
	('2026-10-02 12:00:00+00', '2026-10-02 12:06:24.88+00', 5, 5, 6933, false, '399e3d09-0a27-4cce-8db5-49d2309f9149', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b162e373636'),
	('2026-10-02 16:48:00+00', '2026-10-02 16:54:20.373+00', 1, 5, 2980, false, '1b17a8fa-4c6a-47eb-86f5-06cafa10b432', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050404151421393838'),
	('2026-10-02 21:36:00+00', NULL, 12, 5, NULL, NULL, 'fbc7aef8-e2a4-4209-8d68-96368b3a39c4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x04121212272738'),
	('2026-10-03 02:24:00+00', '2026-10-03 02:41:03.034+00', 7, 5, 4622, false, '0e48c8b0-9a2e-43c4-bd38-9433052188c1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x30303333'),
	('2026-10-03 07:12:00+00', '2026-10-03 07:23:08.94+00', 7, 5, 7470, true, 'd65b4c4f-f8e5-437e-85a8-e452ccb182c7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b2d2d2c'),
	('2026-10-03 12:00:00+00', '2026-10-03 12:02:05.327+00', 10, 5, 3473, false, '0e671d1f-6247-4522-97be-f76959e4c29f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1b2322222d35'),
	('2026-10-03 16:48:00+00', '2026-10-03 17:05:30.186+00', 5, 5, 4133, false, '0e97796c-18f0-4736-a0e8-d08100d90460', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0e2828'),
	('2026-10-03 21:36:00+00', '2026-10-03 21:56:13.54+00', 2, 5, 3502, false, 'e23bb165-8a8f-46a3-a69c-a1116ceb5673', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x051313212039'),
	('2026-10-04 02:24:00+00', '2026-10-04 02:42:56.945+00', 1, 5, 9192, true, 'ac902a12-b9c8-4e5b-9148-4ff299971986', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071d1c1c3b3b'),
	('2026-10-04 07:12:00+00', '2026-10-04 07:26:45.816+00', 1, 5, 5564, false, '3c8f4ebd-e2ac-49da-a3a2-b728378b84aa', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x19181f1e2a2a3534'),
	('2026-10-04 12:00:00+00', '2026-10-04 12:13:06.312+00', 2, 5, 5790, false, '0766d84f-3076-40be-997d-eb3c23caa450', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15151431'),
	('2026-10-04 16:48:00+00', '2026-10-04 17:01:46.862+00', 5, 5, 2465, false, '99f4284c-c2a9-4d2e-a3b8-73efd05e4459', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0a29292f2e37'),
	('2026-10-04 21:36:00+00', '2026-10-04 21:38:36.802+00', 3, 5, 10000, true, '2e03d384-d843-4673-a99a-917f78c4fed7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x252531313232'),
	('2026-10-05 02:24:00+00', '2026-10-05 02:40:55.301+00', 5, 5, 8289, true, 'a4fb2557-7756-44fc-9ef4-806ddcaf1598', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03070611101d1d'),
	('2026-10-05 07:12:00+00', '2026-10-05 07:19:37.057+00', 1, 5, 6847, false, 'b73530be-5405-4e2a-92d3-ece4d699980e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b2f37'),
	('2026-10-05 12:00:00+00', '2026-10-05 12:16:53.009+00', 12, 5, 5319, false, 'db7b5734-038b-4a53-a206-e3147f45e2ea', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b2d'),
	('2026-10-05 16:48:00+00', '2026-10-05 16:56:45.496+00', 10, 5, 6802, false, 'c6b71967-b460-4849-b955-618dd6d4ef80', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030606111d'),
	('2026-10-05 21:36:00+00', '2026-10-05 21:56:15.342+00', 4, 5, 5252, false, 'ecc8b9a6-c3f4-471b-a33e-58b781013c05', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d0d0c181f2b2a'),
	('2026-10-06 02:24:00+00', '2026-10-06 02:27:36.742+00', 6, 5, 6508, false, '5c532ff2-187e-4396-955e-1d2758b9f9f7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d0c0c1818181f'),
	('2026-10-06 07:12:00+00', '2026-10-06 07:24:05.176+00', 1, 5, 5972, false, '76575f11-b1cb-4017-b545-526c7b9be5aa', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030908'),
	('2026-10-06 12:00:00+00', '2026-10-06 12:04:59.919+00', 1, 5, 4219, false, '62013a9f-68c6-49f5-8759-b303b526de91', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x04131212'),
	('2026-10-06 16:48:00+00', '2026-10-06 17:02:56.361+00', 4, 5, 8776, true, '3fd331c6-e5aa-4763-af9e-e563e0443ce0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03030606111d1d'),
	('2026-10-06 21:36:00+00', '2026-10-06 21:39:06.918+00', 4, 5, 4711, false, 'eb150d3d-ee03-4429-b5f9-9f1e654f6c60', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07072d2d3a3a'),
	('2026-10-07 02:24:00+00', NULL, 11, 5, NULL, NULL, 'acaea0cd-31b1-44b8-835a-b1a6317c62d1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15142531323232'),
	('2026-10-07 07:12:00+00', '2026-10-07 07:19:18.905+00', 12, 5, 5803, false, '04258ba8-4bd6-4b0b-8c69-4b7a13258d79', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1521'),
	('2026-10-07 12:00:00+00', '2026-10-07 12:07:22.35+00', 2, 5, 3755, false, '2293224d-a254-4458-bb85-57e595b61ccb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030308'),
	('2026-10-07 16:48:00+00', '2026-10-07 17:05:23.19+00', 11, 5, 3701, false, '8b32bbec-3524-42a1-806b-62727b742b4f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010d0d0d0f29'),
	('2026-10-07 21:36:00+00', '2026-10-07 21:45:48.476+00', 3, 5, 7458, true, '330bd679-7f0a-443d-919b-db9ca98df3c0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b2937'),
	('2026-10-08 02:24:00+00', '2026-10-08 02:43:49.777+00', 12, 5, 8683, true, '245d5c9b-2835-424f-b5d0-447e3990fea9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03111c1c'),
	('2026-10-08 07:12:00+00', '2026-10-08 07:21:04.491+00', 10, 5, 2280, false, '1e647c26-413b-4364-af1e-236adc92e87a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b23222b35'),
	('2026-10-08 12:00:00+00', '2026-10-08 12:04:06.284+00', 10, 5, 4786, false, 'd23e300a-4ece-4262-bde1-dcffac32c7c1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050504203939'),
	('2026-10-08 16:48:00+00', '2026-10-08 16:56:26.507+00', 8, 5, 7998, true, '7984128c-5d67-4175-8593-25c627164180', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x051212272626393838'),
	('2026-10-08 21:36:00+00', '2026-10-08 21:48:07.068+00', 3, 5, 8045, true, 'd60613c9-5bfc-404b-81dc-cedfe95b647d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b2f2f3737'),
	('2026-10-09 02:24:00+00', NULL, 3, 6, NULL, NULL, '08ad0d4f-7fa9-44b9-aa47-6ae016f2a274', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15153131333333'),
	('2026-10-09 07:12:00+00', '2026-10-09 07:17:38.125+00', 7, 6, 10000, true, '6467a5b3-a8c8-41d3-b524-5f5815c38c92', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17252f2f'),
	('2026-10-09 12:00:00+00', '2026-10-09 12:20:55.299+00', 6, 6, 9824, true, '8bd8c43c-4456-4955-9f48-95f265ba47a8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1514213938'),
	('2026-10-09 16:48:00+00', '2026-10-09 16:57:56.941+00', 5, 6, 7476, true, 'e127ffb4-e6da-4cd8-949f-25c9d05f6409', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x07071d1d1d'),
	('2026-10-09 21:36:00+00', '2026-10-09 21:45:50.477+00', 9, 6, 7439, true, '3dc8f277-b2f1-4e42-ad2d-c65805988771', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17162532'),
	('2026-10-10 02:24:00+00', NULL, 3, 6, NULL, NULL, '21117be9-cc00-485f-a3d2-707cbc2c4243', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x04041313212039'),
	('2026-10-10 07:12:00+00', NULL, 10, 6, NULL, NULL, 'e5b722e4-4e84-48df-9235-f5ecd6e6ce10', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071d1d2c2c3b'),
	('2026-10-10 12:00:00+00', NULL, 1, 6, NULL, NULL, 'bab75ba0-68ff-4345-b6be-967bc312e88e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15142121393838'),
	('2026-10-10 16:48:00+00', '2026-10-10 16:59:24.872+00', 11, 6, 9344, true, '4876663c-e204-434c-b93d-f1a071adaf81', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050539'),
	('2026-10-10 21:36:00+00', '2026-10-10 21:50:29.239+00', 7, 6, 9526, true, 'b6984563-454a-4307-bfde-6fcf7462e28c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1724242e2e333333'),
	('2026-10-11 02:24:00+00', '2026-10-11 02:36:37.235+00', 5, 6, 9810, true, 'e9dc556f-e18d-4c40-88fd-82d775249892', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x010d0d0d191f'),
	('2026-10-11 07:12:00+00', '2026-10-11 07:15:44.626+00', 9, 6, 10000, true, 'ddeb8e0c-e47d-402f-9615-aa63061ff834', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x192a2a343434');
INSERT INTO public.plays VALUES
	('2026-10-11 12:00:00+00', NULL, 3, 6, NULL, NULL, 'b647c911-b586-4836-9ab4-8b2ebebe1af0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050513132626'),
	('2026-10-11 16:48:00+00', '2026-10-11 17:08:07.8+00', 3, 6, 3065, false, '06e4a943-f1a4-495c-ba10-fdd6c7a2e42d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0c0c0c1919181f'),
	('2026-10-11 21:36:00+00', '2026-10-11 21:43:42.542+00', 9, 6, 9870, true, 'dfd8334b-9e10-4878-8099-484edff0438f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x05121212'),
	('2026-10-12 02:24:00+00', '2026-10-12 02:33:48.212+00', 12, 6, 4961, false, '76a853fa-2fd0-4df5-b48b-aadae0d1c13d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0707101d1d1d3a'),
	('2026-10-12 07:12:00+00', '2026-10-12 07:29:12.998+00', 12, 6, 7120, true, '6be8339a-3b41-4446-a767-717f96712397', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2f2e373636'),
	('2026-10-12 12:00:00+00', '2026-10-12 12:18:00.403+00', 5, 6, 6710, false, '20d33e51-3da9-4267-bdc6-937d93a7ff37', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x040420203939'),
	('2026-10-12 16:48:00+00', NULL, 2, 6, NULL, NULL, '0024ff59-62a9-4ce2-bc93-41ce2e403ca6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x16161625242f2e2e3333'),
	('2026-10-12 21:36:00+00', '2026-10-12 21:43:31.27+00', 9, 6, 2148, false, '99134c08-d93b-4abf-8a24-00cab25ccd0c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0a0a29292f2e2e37'),
	('2026-10-13 02:24:00+00', '2026-10-13 02:44:29.395+00', 4, 6, 9089, true, 'f9cff22a-35dd-4dce-9d4b-ab82e42bd908', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17253333'),
	('2026-10-13 07:12:00+00', '2026-10-13 07:16:48.473+00', 2, 6, 2221, false, 'f2b73cdc-4b01-4456-b2fb-94506c762530', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x06061b1a2d2d3a3a3a'),
	('2026-10-13 12:00:00+00', '2026-10-13 12:12:44.86+00', 7, 6, 4423, false, '08378cec-8ac7-4c17-bc26-f24d5e492687', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x02071010101d1c'),
	('2026-10-13 16:48:00+00', '2026-10-13 17:05:35.495+00', 11, 6, 8554, true, '5db6f4a6-e6bd-4798-bcd7-4aa36bf0327a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15142121213939'),
	('2026-10-13 21:36:00+00', '2026-10-13 21:47:05.764+00', 2, 6, 4602, false, '1a505398-aa79-4548-b461-51e5909699b2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0311111d1d'),
	('2026-10-14 02:24:00+00', '2026-10-14 02:25:38.245+00', 11, 6, 6109, false, 'c12d7594-8985-4893-9730-1e6cff5582f5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0505121212263939'),
	('2026-10-14 07:12:00+00', '2026-10-14 07:19:16.706+00', 9, 6, 3761, false, '232f452f-b3af-47bd-a460-88c3a5b4241b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x030308080810262626'),
	('2026-10-14 12:00:00+00', NULL, 4, 6, NULL, NULL, '023df20c-ee53-4c31-b29b-77cb30b1c0dd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x000f0e0e29'),
	('2026-10-14 16:48:00+00', '2026-10-14 17:07:03.773+00', 6, 6, 3808, false, 'e9d3f3ce-a4b0-42ee-9d63-7bc5cf95ff9a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0000000a0e29'),
	('2026-10-14 21:36:00+00', '2026-10-14 21:42:38.565+00', 6, 6, 6140, false, '93ce34be-aaaa-44eb-97db-4d2e9472129a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b17162f2f37'),
	('2026-10-15 02:24:00+00', '2026-10-15 02:30:55.99+00', 4, 6, 6655, false, '3656c65f-815f-4498-97c8-3bee9299b886', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d19191f1f'),
	('2026-10-15 07:12:00+00', '2026-10-15 07:13:01.082+00', 8, 6, 9767, true, '73095ced-c24e-437b-ba5d-d79ec2ab7863', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1313272726'),
	('2026-10-15 12:00:00+00', '2026-10-15 12:01:49.279+00', 7, 6, 8226, true, '9b6bf98f-1f0f-484c-9655-023e31cc71fb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1a232d2d34'),
	('2026-10-15 16:48:00+00', '2026-10-15 16:53:41.948+00', 9, 6, 7156, true, '991b1ca5-ade8-43f4-8a5d-565f86d25340', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0302020909101d1d'),
	('2026-10-15 21:36:00+00', '2026-10-15 21:53:55.373+00', 10, 6, 4600, false, 'a5f51a13-dae2-46d1-8c57-5c3dd9036881', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0504151421213939'),
	('2026-10-16 02:24:00+00', '2026-10-16 02:43:51.101+00', 11, 6, 3560, false, 'a8f40f03-c752-46c3-9b6f-bcec1ea99e4e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0505051520203938'),
	('2026-10-16 07:12:00+00', '2026-10-16 07:18:10.57+00', 6, 6, 5711, false, '72705afc-4903-4a9a-adfb-464bc9125729', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17253131303333'),
	('2026-10-16 12:00:00+00', '2026-10-16 12:09:06.082+00', 9, 7, 6184, false, '18aea83c-0e1e-4242-aa25-75310b9b0c7a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0e2929'),
	('2026-10-16 16:48:00+00', '2026-10-16 16:50:52.549+00', 5, 7, 10000, true, '57c7e7c7-c31d-4604-8813-92c68bfd3fe9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0303111111'),
	('2026-10-16 21:36:00+00', '2026-10-16 21:54:17.575+00', 5, 7, 7138, true, '5abe1ad9-7a93-46a7-84f7-574631b71e73', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x172f2e'),
	('2026-10-17 02:24:00+00', '2026-10-17 02:30:47.284+00', 12, 7, 2077, false, '9e1f7cb3-30e7-4352-ab86-ddbbeaa3e988', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01000d0e0e'),
	('2026-10-17 07:12:00+00', '2026-10-17 07:29:49.848+00', 3, 7, 10000, true, '45003ef8-b64a-4c43-8020-4b8f089cecb2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2020383838'),
	('2026-10-17 12:00:00+00', '2026-10-17 12:20:50.698+00', 10, 7, 3197, false, '145f8e4f-bb14-40c3-81db-1c4f31cf92a2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15313131'),
	('2026-10-17 16:48:00+00', NULL, 12, 7, NULL, NULL, '995f54dc-9778-41d4-b538-ad093160cd03', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0505051521212039'),
	('2026-10-17 21:36:00+00', '2026-10-17 21:56:14.894+00', 12, 7, 3123, false, 'f25e6ec7-4dc7-43ba-8f48-834fbcd2ad1f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1a1a2d'),
	('2026-10-18 02:24:00+00', '2026-10-18 02:43:14.204+00', 6, 7, 3031, false, '1d0b95eb-991c-4d77-9f0e-61429ba7545b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0d1919181f2a2a'),
	('2026-10-18 07:12:00+00', '2026-10-18 07:16:43.716+00', 12, 7, 8744, true, 'fd708d14-7c54-47bf-9e54-98e984d88dfb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0c0c19191f'),
	('2026-10-18 12:00:00+00', '2026-10-18 12:01:20.934+00', 12, 7, 9639, true, '483ad997-31a1-4461-94e8-99b7622f4818', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1312122727'),
	('2026-10-18 16:48:00+00', NULL, 9, 7, NULL, NULL, '4b02f22a-4cc4-417b-b790-37ecd22f4fe5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x19191e1e'),
	('2026-10-18 21:36:00+00', '2026-10-18 21:44:50.69+00', 2, 7, 7097, true, 'f353b0ea-c14e-4aae-a38c-1ff7d6be14ee', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0209091212122626'),
	('2026-10-19 02:24:00+00', '2026-10-19 02:26:38.844+00', 3, 7, 2643, false, '530d06a5-0520-4409-85eb-66864e151b58', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b0e0e2929'),
	('2026-10-19 07:12:00+00', '2026-10-19 07:32:58.926+00', 5, 7, 9518, true, '685a5529-1b32-45f0-8c24-c1a32a11dc16', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x04041313393938'),
	('2026-10-19 12:00:00+00', '2026-10-19 12:15:02.297+00', 5, 7, 4859, false, '048232ce-e5fe-491e-97f1-787de2726369', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x00000d0d0f0e1f1f'),
	('2026-10-19 16:48:00+00', '2026-10-19 16:57:49.221+00', 5, 7, 2669, false, 'e8da3fdd-b6eb-4a1b-b735-6031eb2cbeef', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x172f3737'),
	('2026-10-19 21:36:00+00', '2026-10-19 21:44:40.54+00', 9, 7, 6116, false, 'a55e7cf5-0498-4aea-9b96-b81c13766985', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0a0e0e29'),
	('2026-10-20 02:24:00+00', '2026-10-20 02:31:05.38+00', 3, 7, 4631, false, 'fd815ea0-537d-434f-8f7b-a4bbc535a74f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b0b292928'),
	('2026-10-20 07:12:00+00', NULL, 12, 7, NULL, NULL, 'c07ceb8d-3002-46a9-9c49-c4ef3cf8a977', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0202090912122726'),
	('2026-10-20 12:00:00+00', '2026-10-20 12:19:50.802+00', 10, 7, 8755, true, 'ecaa6a77-278f-4252-9be8-14baeb36ab06', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01000c0c0f0f'),
	('2026-10-20 16:48:00+00', '2026-10-20 16:57:07.682+00', 4, 7, 3618, false, '9da14c0c-b958-4f8d-88e1-1832fa95223d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1717252f2f3636'),
	('2026-10-20 21:36:00+00', '2026-10-20 21:56:31.087+00', 10, 7, 7911, true, '02f884a9-d787-4c48-8953-cb2f54113aa6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0e0e2928'),
	('2026-10-21 02:24:00+00', '2026-10-21 02:41:12.617+00', 10, 7, 4729, false, '9be05254-b3a4-4495-b2f5-734146ffd998', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x05041520203939'),
	('2026-10-21 07:12:00+00', '2026-10-21 07:31:11.266+00', 12, 7, 8357, true, '667b9714-d4d1-4ca4-bbed-84d99155ab27', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0c0c0c1818181f'),
	('2026-10-21 12:00:00+00', '2026-10-21 12:16:29.513+00', 1, 7, 4998, false, '62267559-16dc-4c1e-bbed-04e707d3d439', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2b2b3434'),
	('2026-10-21 16:48:00+00', '2026-10-21 17:04:58.586+00', 8, 7, 8819, true, 'a5bfcf9f-f9f6-474d-b6e4-96d9900ef557', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x23233434'),
	('2026-10-21 21:36:00+00', '2026-10-21 21:53:41.761+00', 4, 7, 6653, false, 'dcd76dd5-bd68-462a-a911-35ccb9d4dab0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1a2d'),
	('2026-10-22 02:24:00+00', '2026-10-22 02:39:32.541+00', 7, 7, 2619, false, '0175ba02-a1cb-4e88-9b6c-d6b22f63baee', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x031111'),
	('2026-10-22 07:12:00+00', '2026-10-22 07:20:21.075+00', 10, 7, 5232, false, 'c520f0f8-bda7-4905-9349-6553058e76e7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0b16162f2e37'),
	('2026-10-22 12:00:00+00', '2026-10-22 12:13:53.205+00', 10, 7, 8476, true, '9822f848-959f-4366-9b4d-6b1aaa4b7e9d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x040413133838'),
	('2026-10-22 16:48:00+00', '2026-10-22 16:58:36.267+00', 9, 7, 2142, false, '32a3418e-7f2e-44e8-8915-70bb1c5ce8a6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x010d0e28'),
	('2026-10-22 21:36:00+00', '2026-10-22 21:49:02.814+00', 9, 7, 3994, false, '2d3a6c49-14d7-4319-a726-2f1f32e3ff12', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x23232b2b3534'),
	('2026-10-23 02:24:00+00', '2026-10-23 02:40:48.216+00', 2, 7, 4658, false, 'b56128b4-b27f-4469-bd88-293ab1878353', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01000b0f0f2929'),
	('2026-10-23 07:12:00+00', '2026-10-23 07:29:47.771+00', 2, 7, 8794, true, 'cee25c3e-52ef-4ccb-a51e-c9b284b325f1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1a23'),
	('2026-10-23 12:00:00+00', '2026-10-23 12:07:20.771+00', 12, 7, 4328, false, 'e1030257-42d7-46e4-8492-8c3b1030c207', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03030307060611101d1d'),
	('2026-10-23 16:48:00+00', '2026-10-23 16:49:03.945+00', 8, 7, 4620, false, 'f4232b9f-ff1e-463a-9460-9e739ffef0dd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x18182a2a'),
	('2026-10-23 21:36:00+00', '2026-10-23 21:42:07.318+00', 7, 7, 8935, true, '2161ba52-b880-4ece-bb15-637c6d3cd795', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0707071b1b2c3b3b'),
	('2026-10-24 02:24:00+00', NULL, 2, 8, NULL, NULL, '06fdd981-aac7-41ff-bc4d-ac1732282f4a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x04393838'),
	('2026-10-24 07:12:00+00', '2026-10-24 07:25:16.01+00', 2, 8, 4334, false, '142a09c4-b64c-4b4b-9bce-55e0fcfb1dad', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x15152121303039'),
	('2026-10-24 12:00:00+00', '2026-10-24 12:20:48.955+00', 1, 8, 5960, false, '8efdbc51-304e-489f-9eac-67f1bfb994a7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0505041313'),
	('2026-10-24 16:48:00+00', '2026-10-24 16:53:20.098+00', 2, 8, 4643, false, 'c9bf204c-e9ae-4f8b-a8a8-8a2342ba9bb0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010f0f'),
	('2026-10-24 21:36:00+00', '2026-10-24 21:48:34.338+00', 1, 8, 6302, false, '49940f6e-98d9-484c-b00f-e627cc03ffdd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071c1c1c'),
	('2026-10-25 02:24:00+00', '2026-10-25 02:35:22.193+00', 2, 8, 3710, false, 'ac557cbc-56e0-4a52-a1b1-068c3f079c24', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x050513132121393838'),
	('2026-10-25 07:12:00+00', '2026-10-25 07:16:07.994+00', 10, 8, 2532, false, '8740b6c5-2eed-432b-bcff-24be1f8c4917', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0505131227'),
	('2026-10-25 12:00:00+00', '2026-10-25 12:14:47.672+00', 4, 8, 4945, false, 'b977657c-22cd-474f-8aa5-38f0e41e8156', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x010d0c0c0f0f0f'),
	('2026-10-25 16:48:00+00', '2026-10-25 16:49:27.423+00', 1, 8, 3403, false, 'ee24704d-1604-44da-b2fd-f028276c6b70', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101010f'),
	('2026-10-25 21:36:00+00', '2026-10-25 21:54:49.403+00', 10, 8, 8069, true, 'eeaf02df-2419-4fa9-9671-248a37cca216', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0f0e29'),
	('2026-10-26 02:24:00+00', '2026-10-26 02:34:42.107+00', 2, 8, 2945, false, '415ad9f9-5313-4519-ba28-c87534acf562', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1717172525'),
	('2026-10-26 07:12:00+00', '2026-10-26 07:16:07.265+00', 12, 8, 7152, true, 'c14b27bd-c5f8-47ee-bdf6-d878c8fe0ddf', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x00000f0f2929'),
	('2026-10-26 12:00:00+00', '2026-10-26 12:13:04.693+00', 4, 8, 6317, false, 'b42799bd-3179-4cc3-8de7-e23b0b2ddf14', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1b22222d3b'),
	('2026-10-26 16:48:00+00', '2026-10-26 17:08:41.883+00', 9, 8, 4679, false, '33d3b567-d01c-41a1-8bbb-3bff89038310', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010f'),
	('2026-10-26 21:36:00+00', '2026-10-26 21:39:21.147+00', 3, 8, 8294, true, 'de13dbca-45b2-4869-955b-16e75583a1d4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x01010d0d'),
	('2026-10-27 02:24:00+00', '2026-10-27 02:36:06.087+00', 12, 8, 6409, false, 'ef0b1d8f-118d-47ff-ad5e-7136c714375d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0302090810'),
	('2026-10-27 07:12:00+00', '2026-10-27 07:22:08.513+00', 1, 8, 6644, false, '4d162f51-d954-440e-87cf-8e0c51fe596a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x17171725252f37'),
	('2026-10-27 12:00:00+00', '2026-10-27 12:18:36.566+00', 6, 8, 7093, true, '712ba8ff-2d6c-4a4e-8edc-d112591a5a86', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x092726'),
	('2026-10-27 16:48:00+00', '2026-10-27 17:02:50.097+00', 1, 8, 3267, false, 'ef347f25-71de-4e03-9410-e1a840dfbe4e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b23233434'),
	('2026-10-27 21:36:00+00', NULL, 5, 8, NULL, NULL, 'd5ad994d-d249-4d34-a2c3-d58918b46f3b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03091111112727'),
	('2026-10-28 02:24:00+00', '2026-10-28 02:31:43.245+00', 7, 8, 6361, false, 'c69b5802-ced5-44ce-97f4-dc1475cc10c9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0504121221203838'),
	('2026-10-28 07:12:00+00', '2026-10-28 07:25:41.612+00', 8, 8, 10000, true, '43b30bcd-b6f5-4235-9a71-0ac9dd7db79e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2335'),
	('2026-10-28 12:00:00+00', '2026-10-28 12:05:41.907+00', 11, 8, 7442, true, '65f1d6b4-0b25-4da6-8ac8-eee9ef724cdc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0606062d2d3b'),
	('2026-10-28 16:48:00+00', '2026-10-28 17:04:09.131+00', 2, 8, 4761, false, '5c64cf7a-26fa-43e7-882a-a69d84437e60', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x172525243333'),
	('2026-10-28 21:36:00+00', '2026-10-28 21:37:37.736+00', 9, 8, 2789, false, 'f2d847b6-4f1f-4ac7-91db-531cc468a3dd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101010f0f'),
	('2026-10-29 02:24:00+00', '2026-10-29 02:39:42.368+00', 8, 8, 6008, false, 'c6884fff-ee37-48e6-828b-e0c532c000bb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x18181e'),
	('2026-10-29 07:12:00+00', '2026-10-29 07:13:20.896+00', 1, 8, 7149, true, 'a2c25066-547f-4eea-a8c0-16deea3209ca', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1515213131333333'),
	('2026-10-29 12:00:00+00', '2026-10-29 12:05:56.096+00', 4, 8, 8966, true, '265b511b-721a-4d83-9bde-adeebb5cdb75', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x2323232b2a353434'),
	('2026-10-29 16:48:00+00', NULL, 5, 8, NULL, NULL, 'd27ab13a-8763-47ed-b451-32b6837fce6e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x06061b1a2c2c3a3a'),
	('2026-10-29 21:36:00+00', NULL, 11, 8, NULL, NULL, '6539fffb-760b-40a2-b01e-dee24c97b3a9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b1b2322'),
	('2026-10-30 02:24:00+00', NULL, 4, 8, NULL, NULL, '5b901eea-caa2-4511-8da9-d8ebed1c4d68', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x071c3b'),
	('2026-10-30 07:12:00+00', '2026-10-30 07:27:06.106+00', 3, 8, 10000, true, '495cf01c-50bc-4963-a34f-70e125ee03c5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0a292f36'),
	('2026-10-30 12:00:00+00', '2026-10-30 12:15:37.483+00', 8, 8, 10000, true, '8808ea84-565c-4b83-8d67-1c8643c552fe', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x091313132727'),
	('2026-10-30 16:48:00+00', '2026-10-30 16:53:58.843+00', 6, 8, 6965, false, '909a4804-2149-4f8f-9b7d-ed6247d553d8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x03031110'),
	('2026-10-30 21:36:00+00', NULL, 4, 8, NULL, NULL, '5b5cb3e9-0a9b-4f31-a4ef-26790418f0ab', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x061b1a2d2c2c3b3a'),
	('2026-10-31 02:24:00+00', '2026-10-31 02:43:38.047+00', 5, 8, 4819, false, 'f452557b-7810-4232-96ef-bb294361d810', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1010101d1d'),
	('2026-10-31 07:12:00+00', '2026-10-31 07:23:31.375+00', 4, 8, 6397, false, '62fc0d22-0cf3-4b3e-8dc5-90ff9396f1ad', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x1b232235'),
	('2026-09-01 14:24:00+00', '2026-09-01 14:30:04.75+00', 10, 1, 5788, false, 'dee85271-f840-433a-b97f-cfac867138a6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0b0e28'),
	('2026-09-01 19:12:00+00', '2026-09-01 19:16:07.887+00', 6, 1, 2793, false, 'ad747ce7-4b87-46f5-b6ba-e51c20c4474a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0505212039'),
	('2026-09-02 00:00:00+00', '2026-09-02 00:12:17.147+00', 8, 1, 5418, false, '049e3261-aa38-41a6-a89b-e03263ae1624', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b23232d3a'),
	('2026-09-02 04:48:00+00', '2026-09-02 05:06:51.649+00', 8, 1, 4221, false, '40c78ecb-e174-4962-9f50-9381aecf236b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2323232b343434'),
	('2026-09-02 09:36:00+00', '2026-09-02 09:50:49.692+00', 8, 1, 2884, false, 'd5415887-0595-49ad-a19d-c011ba8d4d2a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01000d0d1f1f1e'),
	('2026-09-02 14:24:00+00', '2026-09-02 14:26:18.168+00', 7, 1, 5059, false, 'b508298c-0fe8-4c0f-a206-c929df245f51', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b1a232d3b3b'),
	('2026-09-02 19:12:00+00', '2026-09-02 19:25:38.704+00', 9, 1, 5393, false, '3a9cde22-2989-45d7-a65d-5ed199159fe1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1514303333'),
	('2026-09-03 00:00:00+00', NULL, 7, 1, NULL, NULL, 'ac8e7400-9dc6-46ab-a3ad-cf87b94159b5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2d2d3a3a'),
	('2026-09-03 04:48:00+00', '2026-09-03 05:05:26.754+00', 9, 1, 10000, true, 'e498a57e-45a1-4751-ae40-6cc4aa698be3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x121227'),
	('2026-09-03 09:36:00+00', '2026-09-03 09:50:41.37+00', 8, 1, 5892, false, '9afe0da6-e8c3-49e9-9cd9-a8b61e88b49e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x14142120313131333232'),
	('2026-09-03 14:24:00+00', '2026-09-03 14:36:55.016+00', 3, 1, 4766, false, 'be51bed4-1e32-4dbb-8af7-eb1ad004939b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x31303333'),
	('2026-09-03 19:12:00+00', '2026-09-03 19:27:57.522+00', 7, 1, 4462, false, '87be7a32-9de0-4c60-bcfd-b6e057254e4d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x23222234'),
	('2026-09-04 00:00:00+00', '2026-09-04 00:06:43.399+00', 4, 1, 3915, false, '81e4f9a2-8945-4b17-9617-b38dab1c831b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x03031111111d1c1c'),
	('2026-09-04 04:48:00+00', '2026-09-04 05:00:26.434+00', 8, 1, 3891, false, 'cd64ae55-4301-4c59-b918-9203608477b7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x151425253133'),
	('2026-09-04 09:36:00+00', '2026-09-04 09:42:44.395+00', 12, 1, 7734, true, 'c109ac44-b944-4e83-a899-03da192afaa0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2121393939'),
	('2026-09-04 14:24:00+00', '2026-09-04 14:35:06.729+00', 4, 1, 2428, false, '2e67ed87-cbf9-4ef0-9475-1267ac4c9f5f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b17172f2f373636'),
	('2026-09-04 19:12:00+00', '2026-09-04 19:18:51.412+00', 10, 1, 8121, true, '54dbf19c-2751-470f-93ee-949bb92d5b3a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x25253033'),
	('2026-09-05 00:00:00+00', '2026-09-05 00:16:35.08+00', 10, 1, 8187, true, '4c2d7216-5795-4aef-be09-c7e6f647b08e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1923232b2a2a353535'),
	('2026-09-05 04:48:00+00', '2026-09-05 05:00:26.722+00', 8, 1, 9794, true, '25746c57-0373-4476-adf1-a11526dcd836', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x191e'),
	('2026-09-05 09:36:00+00', '2026-09-05 09:39:38.185+00', 10, 1, 5898, false, '835b1f85-a3e9-4634-a24a-37e1c9ec6c3a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1716252431313333'),
	('2026-09-05 14:24:00+00', '2026-09-05 14:41:29.41+00', 3, 1, 6557, false, '13b79d4b-138a-4b32-a14d-5440b9f24558', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05121212'),
	('2026-09-05 19:12:00+00', '2026-09-05 19:23:30.247+00', 9, 1, 5510, false, '24a78b94-e36e-4042-aeda-dfa108255ddc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1515142120313130383838'),
	('2026-09-06 00:00:00+00', '2026-09-06 00:11:59.48+00', 6, 1, 4122, false, '3fa9dec2-9007-4691-a94e-fce6119ce89f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17162524242e2e373737'),
	('2026-09-06 04:48:00+00', '2026-09-06 05:03:41.411+00', 10, 1, 3927, false, 'b7a7fe7d-8857-485f-b934-1b1668180423', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x3133'),
	('2026-09-06 09:36:00+00', NULL, 4, 1, NULL, NULL, '2ced8808-d682-4538-a2b2-47c54e79c800', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0309091027'),
	('2026-09-06 14:24:00+00', '2026-09-06 14:26:22.855+00', 8, 1, 7296, true, 'eccf43a2-3c52-4014-bead-7476928db77b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19181f2b'),
	('2026-09-06 19:12:00+00', '2026-09-06 19:30:39.443+00', 12, 1, 10000, true, '96a1fe98-1227-45db-8c8f-f7784b2f68d6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x00000d1e'),
	('2026-09-07 00:00:00+00', '2026-09-07 00:19:48.883+00', 9, 1, 8470, true, '42414ff3-1703-4a57-b60f-e1498d88b5ea', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19192b2b35'),
	('2026-09-07 04:48:00+00', NULL, 4, 1, NULL, NULL, 'b10be7c9-5e00-4110-ab80-4b207bdd1f72', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d1e1e1e'),
	('2026-09-07 09:36:00+00', '2026-09-07 09:37:53.62+00', 8, 1, 5324, false, '29560949-df1e-447c-8305-6f86d382c481', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2a2a3434'),
	('2026-09-07 14:24:00+00', '2026-09-07 14:36:12.879+00', 12, 1, 6588, false, '71dfae06-42bf-42b7-827c-b6346aaa2bad', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19192a2a3534'),
	('2026-09-07 19:12:00+00', '2026-09-07 19:27:38.963+00', 1, 1, 6666, false, 'a03a5abb-5cfa-46e6-a3a3-1a2073f97f3b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07072d3b'),
	('2026-09-08 00:00:00+00', '2026-09-08 00:08:07.866+00', 3, 1, 5459, false, 'd678a821-c005-4cda-8e1e-f888d718708a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0202020909'),
	('2026-09-08 04:48:00+00', NULL, 2, 1, NULL, NULL, 'a17ff1ad-91a7-48fd-8768-34c28a272cba', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05050512121227273938'),
	('2026-09-08 09:36:00+00', '2026-09-08 09:45:02.883+00', 4, 1, 7027, true, '5219b01c-0810-469b-b7aa-90e3ac9a336a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x071111111d1d'),
	('2026-09-08 14:24:00+00', '2026-09-08 14:37:10.172+00', 3, 1, 8345, true, '80480796-2d27-40b7-934e-9f82c07188d7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1716162533'),
	('2026-09-08 19:12:00+00', '2026-09-08 19:20:03.828+00', 8, 1, 5014, false, '44d62e8f-7b43-4128-8670-1a6ab97bb032', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x23232b2a3534'),
	('2026-09-09 00:00:00+00', '2026-09-09 00:01:30.976+00', 12, 2, 8000, true, '6368f95d-2a4f-4ca5-abb0-13c08724ca51', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17161625252f2e3636'),
	('2026-09-09 04:48:00+00', NULL, 10, 2, NULL, NULL, '3ff5da18-dfef-473a-9a9a-224e1ab338e9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17252f2f'),
	('2026-09-09 09:36:00+00', '2026-09-09 09:55:36.515+00', 8, 2, 5631, false, 'b40e3d3c-e37d-4450-8e4e-5155172e5094', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b223535'),
	('2026-09-09 14:24:00+00', '2026-09-09 14:37:23.335+00', 12, 2, 9422, true, '331e6b5e-e2a0-4807-b6a3-237c3e5c9a01', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x202039'),
	('2026-09-09 19:12:00+00', '2026-09-09 19:23:57.595+00', 10, 2, 4825, false, '0de32922-ba89-4596-95c6-67a0145fc806', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x010f'),
	('2026-09-10 00:00:00+00', '2026-09-10 00:02:04.901+00', 5, 2, 3373, false, '74e4fb08-331f-4746-8495-fcf8094fe997', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x071d1d3b3a3a'),
	('2026-09-10 04:48:00+00', '2026-09-10 05:01:35.115+00', 7, 2, 10000, true, 'f62cb5c5-d3f0-4a45-973f-a3b0567820fb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x021110'),
	('2026-09-10 09:36:00+00', '2026-09-10 09:43:07.626+00', 6, 2, 7654, true, 'fce0f491-8c0b-4f86-a4ac-e4227c670dae', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1515213938'),
	('2026-09-10 14:24:00+00', '2026-09-10 14:39:41.851+00', 6, 2, 4514, false, 'f2be8422-e7a2-4b3b-8150-28c338ea1029', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x00000c0c18181e1e1e'),
	('2026-09-10 19:12:00+00', '2026-09-10 19:17:13.236+00', 5, 2, 5143, false, '4a9c72cf-1536-442b-bb76-510907f4b273', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x062c3b3b'),
	('2026-09-11 00:00:00+00', '2026-09-11 00:12:19.191+00', 11, 2, 9962, true, '20fd1332-10e4-4bb1-9fe9-07d68226eaa3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2b35'),
	('2026-09-11 04:48:00+00', '2026-09-11 04:55:31.434+00', 7, 2, 3956, false, 'ecf908a6-5f9f-4d03-bf15-fe8357dba7e3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b293736'),
	('2026-09-11 09:36:00+00', '2026-09-11 09:41:50.489+00', 5, 2, 7195, true, 'bff72ca4-00d4-4c34-8419-7ff77695a4d4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01010d19181e1e'),
	('2026-09-11 14:24:00+00', '2026-09-11 14:28:39.044+00', 4, 2, 9427, true, '83c280c1-4ad5-4f5a-bf5d-f91877724a4f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x010f0f0e2828'),
	('2026-09-11 19:12:00+00', '2026-09-11 19:29:03.56+00', 8, 2, 8628, true, '435ae698-7ba0-44b9-8311-0e5e5f45bead', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b23232d3b'),
	('2026-09-12 00:00:00+00', '2026-09-12 00:08:18.843+00', 2, 2, 5823, false, 'cf872ca3-9162-433c-bab3-0aa623e665e8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x050513123939'),
	('2026-09-12 04:48:00+00', '2026-09-12 05:04:56.525+00', 1, 2, 3628, false, 'b343ddac-8bfd-4bbd-839d-d20881644e37', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x252530333232'),
	('2026-09-12 09:36:00+00', '2026-09-12 09:56:28.801+00', 6, 2, 2304, false, '4d189622-8bd4-4c94-b291-d8140ece61ab', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x151421203131'),
	('2026-09-12 14:24:00+00', '2026-09-12 14:41:13.249+00', 3, 2, 3856, false, 'cd9dbe43-b05a-4424-8f42-16fa7782fae5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05053938'),
	('2026-09-12 19:12:00+00', '2026-09-12 19:23:30.075+00', 2, 2, 4949, false, '7f9b513d-f116-49f4-ad5e-221def0747cc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0303090811272626'),
	('2026-09-13 00:00:00+00', '2026-09-13 00:12:18.482+00', 4, 2, 3242, false, '7a64dbb5-88df-4f9f-8b23-55af6d89641c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x16252533'),
	('2026-09-13 04:48:00+00', '2026-09-13 04:52:19.753+00', 7, 2, 6811, false, 'b7993bf7-ffbc-4ce7-8a31-614b52636765', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01010b0f292928'),
	('2026-09-13 09:36:00+00', '2026-09-13 09:50:19.162+00', 11, 2, 8570, true, '748378f6-fdfc-462d-9f29-85e426fc4a7e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x16162525303033'),
	('2026-09-13 14:24:00+00', '2026-09-13 14:29:42.984+00', 7, 2, 4759, false, '55f1acd4-02f3-4e52-a373-2909c5f51bc3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0505040908131327'),
	('2026-09-13 19:12:00+00', '2026-09-13 19:13:34.21+00', 5, 2, 7347, true, '16804be7-fec2-43e3-9f2e-8cd6e72482bb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x202038'),
	('2026-09-14 00:00:00+00', '2026-09-14 00:19:41.191+00', 6, 2, 2578, false, '4c5a9932-8da8-4024-89e7-4afecec98243', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0000000f0f292929'),
	('2026-09-14 04:48:00+00', '2026-09-14 05:03:17.555+00', 10, 2, 9938, true, '3f988e7c-ec61-4ab7-b6af-9c55de8dc8ab', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x06062d2d3a3a'),
	('2026-09-14 09:36:00+00', '2026-09-14 09:54:33.085+00', 4, 2, 9112, true, '80321c1f-e72d-4cf9-85b6-a3d68bf56ced', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b1a232235'),
	('2026-09-14 14:24:00+00', '2026-09-14 14:35:24.926+00', 2, 2, 2667, false, '568c0b8a-7897-477d-b9e0-2bef1ac7d207', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0302020908101010'),
	('2026-09-14 19:12:00+00', '2026-09-14 19:26:17.27+00', 10, 2, 6874, false, '08377361-3d6d-468e-80be-27868f0da4af', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0f0f2929'),
	('2026-09-15 00:00:00+00', '2026-09-15 00:09:52.427+00', 8, 2, 2556, false, 'bff2756b-ccb5-4777-9458-fdb57ed0d7a4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x191f1f1e2a2a'),
	('2026-09-15 04:48:00+00', '2026-09-15 04:49:30.494+00', 2, 2, 2796, false, '1d34f146-a1ba-4e9c-b372-c618db4278ee', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b2d2d2c'),
	('2026-09-15 09:36:00+00', '2026-09-15 09:42:23.693+00', 2, 2, 3546, false, '1e4ad0c3-24fb-4e02-9d4b-8215ee64ff8f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1725242f2f3736'),
	('2026-09-15 14:24:00+00', '2026-09-15 14:32:10.254+00', 10, 2, 8379, true, 'c645a7ce-f88c-4674-a470-ba2cb6e4f72e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x010f0f292828'),
	('2026-09-15 19:12:00+00', '2026-09-15 19:26:37.673+00', 8, 2, 10000, true, '72c67cb2-2783-4eb4-a108-45940e8b1667', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x082626'),
	('2026-09-16 00:00:00+00', '2026-09-16 00:16:04.357+00', 9, 2, 4587, false, '1b0bb28f-736c-4767-8e06-fdb0a239a5f3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0a29'),
	('2026-09-16 04:48:00+00', '2026-09-16 04:57:24.64+00', 1, 2, 7205, true, '1d31579d-abca-43aa-8f05-907d269abcfc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b1a232d2c353534'),
	('2026-09-16 09:36:00+00', '2026-09-16 09:46:09.624+00', 5, 2, 6545, false, 'cf22c286-da10-46a7-9d54-b5d78f3d0c0d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x243033'),
	('2026-09-16 14:24:00+00', '2026-09-16 14:34:33.127+00', 9, 3, 5827, false, 'ddbfd383-6dec-414c-bb9a-856b7dfd5bf8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0f0f2828'),
	('2026-09-16 19:12:00+00', '2026-09-16 19:20:24.889+00', 2, 3, 8609, true, '907e8a8f-87f5-463f-bda0-770824c09d76', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1717172e2e2e36'),
	('2026-09-17 00:00:00+00', '2026-09-17 00:01:13.278+00', 4, 3, 3312, false, '9ed1b13e-b003-4df0-a50e-77ec2f3209b6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0a292f3737'),
	('2026-09-17 04:48:00+00', '2026-09-17 04:54:30.576+00', 10, 3, 7653, true, '4c74814c-4f8b-4da6-ace1-2cfd36c64e33', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x04131212272638'),
	('2026-09-17 09:36:00+00', '2026-09-17 09:54:01.831+00', 7, 3, 6713, false, '7a7e29e1-c4cf-4de2-8645-f293a8f1d942', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x052039'),
	('2026-09-17 14:24:00+00', '2026-09-17 14:29:30.739+00', 3, 3, 6895, false, 'f15ab9c6-9ea9-434a-8639-9d2a5db2d9df', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x00000c0c0f0f'),
	('2026-09-17 19:12:00+00', '2026-09-17 19:24:34.532+00', 2, 3, 6742, false, 'af33fa8a-e7d3-4621-8023-c0cf9a45ba33', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05050413213939'),
	('2026-09-18 00:00:00+00', '2026-09-18 00:01:27.701+00', 5, 3, 2393, false, '679c686e-e883-4907-a8c3-8c294dbd2882', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x171725313232'),
	('2026-09-18 04:48:00+00', '2026-09-18 04:56:20.722+00', 9, 3, 5100, false, '17832ea2-8004-41ad-b496-9e16d3c18b7f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01010d19181e'),
	('2026-09-18 09:36:00+00', '2026-09-18 09:46:56.286+00', 9, 3, 4694, false, 'da534779-d8b6-4192-b492-72fa2fb1f1c1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0f0f29'),
	('2026-09-18 14:24:00+00', '2026-09-18 14:35:12.141+00', 1, 3, 9846, true, 'eb22ddef-4b49-4c01-ad04-a010c74a1457', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01010f0f'),
	('2026-09-18 19:12:00+00', '2026-09-18 19:21:37.212+00', 4, 3, 8121, true, 'a0af9d1c-bb26-4a7e-a06f-00495455e39c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19191923232b3535'),
	('2026-09-19 00:00:00+00', '2026-09-19 00:04:12.677+00', 8, 3, 2431, false, 'f9a1593e-eb19-4bff-b748-4039da6091b3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19182b2b'),
	('2026-09-19 04:48:00+00', '2026-09-19 04:54:43.429+00', 12, 3, 9905, true, 'e8272ef9-139c-47c4-aa33-fda63bed43bf', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17172f2f3636'),
	('2026-09-19 09:36:00+00', '2026-09-19 09:44:30.156+00', 11, 3, 3056, false, '3811134a-f045-4e9e-af63-bf10aa34e0de', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0303020909112727'),
	('2026-09-19 14:24:00+00', '2026-09-19 14:38:46.923+00', 5, 3, 5579, false, '4d1af7f8-3927-41b3-a7dd-545cc2dd046c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1a1a232c2c2c'),
	('2026-09-19 19:12:00+00', '2026-09-19 19:29:44.043+00', 11, 3, 5957, false, 'fef77832-1b4c-4cf5-93f3-e6af5776532b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x072d2d3b3b'),
	('2026-09-20 00:00:00+00', '2026-09-20 00:11:23.827+00', 5, 3, 3905, false, '3caeffca-52cf-4a18-9458-a2c34c40abe6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1616252f'),
	('2026-09-20 04:48:00+00', '2026-09-20 04:50:30.926+00', 10, 3, 7620, true, '9958298f-d407-4bd1-bb58-a68040d04a55', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0513133939'),
	('2026-09-20 09:36:00+00', '2026-09-20 09:40:17.041+00', 6, 3, 2687, false, '9997bb79-5ec7-416a-ac58-6a6ec29f8cbc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x223434'),
	('2026-09-20 14:24:00+00', '2026-09-20 14:27:09.62+00', 10, 3, 10000, true, '3ec1b012-375f-4f8c-b2fe-b4c24019b168', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2234'),
	('2026-09-20 19:12:00+00', '2026-09-20 19:24:08.075+00', 7, 3, 6797, false, 'd35cb961-cc52-496d-98f1-e63a257a86d8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1717252f2f2f'),
	('2026-09-21 00:00:00+00', '2026-09-21 00:07:50.063+00', 6, 3, 8703, true, 'a4faa0a3-a627-4abf-9408-fb0a722ffa7a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x092726'),
	('2026-09-21 04:48:00+00', '2026-09-21 04:56:46.639+00', 2, 3, 2436, false, 'd2752ba6-6fdb-4345-b475-30a80aa94557', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d19191f1f'),
	('2026-09-21 09:36:00+00', '2026-09-21 09:44:42.02+00', 4, 3, 9503, true, 'e6d8b13d-ebc3-488c-90aa-ee51660a795c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2138');
INSERT INTO public.plays VALUES
	('2026-09-21 14:24:00+00', '2026-09-21 14:41:57.87+00', 2, 3, 6918, false, 'bcd34b6b-d56f-4023-a76d-380412c82009', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b23232c2c3b3b3a'),
	('2026-09-21 19:12:00+00', '2026-09-21 19:30:20.067+00', 11, 3, 10000, true, 'f2ce6263-fb6b-47d0-8888-3ed19e7b0531', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b1a2c2c2c'),
	('2026-09-22 00:00:00+00', NULL, 2, 3, NULL, NULL, '181e63c8-8038-43c8-88ae-848bf4a685f4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x041515202039'),
	('2026-09-22 04:48:00+00', '2026-09-22 04:56:48.042+00', 7, 3, 2910, false, 'ca5665d7-6d0b-463e-ba32-9bcc472e7ba4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1326'),
	('2026-09-22 09:36:00+00', '2026-09-22 09:39:57.467+00', 5, 3, 3146, false, 'bf3efe98-06f0-4df6-a056-423db4efcdf6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0404131221213939'),
	('2026-09-22 14:24:00+00', '2026-09-22 14:35:40.565+00', 4, 3, 5989, false, 'db570204-7de5-48ae-b28d-ed0549b8ce72', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0b17172e2e37'),
	('2026-09-22 19:12:00+00', '2026-09-22 19:25:49.238+00', 12, 3, 7636, true, '366524f4-786f-4954-ba5a-11f93f857aea', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x21202039'),
	('2026-09-23 00:00:00+00', NULL, 1, 3, NULL, NULL, 'cc0fc664-6297-4811-9092-6d75d37367bb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x010d191f1f'),
	('2026-09-23 04:48:00+00', '2026-09-23 05:07:23.454+00', 6, 3, 4725, false, 'b355f10b-21f7-4e9b-936f-32e16482bd50', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x24242433'),
	('2026-09-23 09:36:00+00', '2026-09-23 09:50:32.886+00', 5, 3, 7729, true, '50719f1e-55a4-4aa6-be99-06b263b24c5e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d19191f2b2b2b'),
	('2026-09-23 14:24:00+00', '2026-09-23 14:33:06.57+00', 4, 3, 9002, true, '95c8cc6d-3f52-4ef3-9f16-eb633deb8d06', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x052121213939'),
	('2026-09-23 19:12:00+00', '2026-09-23 19:27:27.507+00', 8, 3, 2864, false, '6c9569d0-1f9e-42e2-8ddf-4f01246a6ceb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17161624242f2e'),
	('2026-09-24 00:00:00+00', NULL, 8, 4, NULL, NULL, 'b6acb2a8-b836-4e50-a7e5-b09dc853d33f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x071d1d2d2d2c3b3b'),
	('2026-09-24 04:48:00+00', '2026-09-24 04:53:59.343+00', 10, 4, 5114, false, '1eb3bc0c-7a19-4a5a-92af-f50130750723', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030308111110'),
	('2026-09-24 09:36:00+00', '2026-09-24 09:40:58.325+00', 4, 4, 8697, true, '6e117479-fe0a-4b77-aea8-2343fc24ac49', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x172f2f'),
	('2026-09-24 14:24:00+00', '2026-09-24 14:32:20.866+00', 6, 4, 6074, false, '9f283feb-8792-4775-8b35-d5f8037afbe2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x010d0d1919181f1f1f'),
	('2026-09-24 19:12:00+00', NULL, 9, 4, NULL, NULL, '865020b7-d019-4a67-99c8-35401a5f11c0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x02091010'),
	('2026-09-25 00:00:00+00', '2026-09-25 00:14:50.377+00', 11, 4, 9655, true, 'ac978673-cb87-430e-8cfc-94082876401f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x162f2f3737'),
	('2026-09-25 04:48:00+00', '2026-09-25 04:55:42.159+00', 12, 4, 8429, true, '5cf1bf59-b34b-42d8-aa48-ec496aad693f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x122727'),
	('2026-09-25 09:36:00+00', '2026-09-25 09:47:32.547+00', 2, 4, 7549, true, '5e9b76d4-2ecb-48c6-bb50-3befdb3af19d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2322223534'),
	('2026-09-25 14:24:00+00', '2026-09-25 14:38:56.176+00', 7, 4, 5230, false, 'fc911939-2a35-4c0f-a366-fbc91d075e44', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0a2828283636'),
	('2026-09-25 19:12:00+00', '2026-09-25 19:17:56.733+00', 2, 4, 7199, true, 'dbd549d9-6206-4651-9008-4588a7447cde', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b232a2a353534'),
	('2026-09-26 00:00:00+00', '2026-09-26 00:13:25.63+00', 9, 4, 8015, true, 'bab25d9b-1004-4c25-af1b-4199bd5d7821', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1425252530303232'),
	('2026-09-26 04:48:00+00', '2026-09-26 05:04:12.724+00', 5, 4, 9915, true, '29cd60cd-daad-4be8-8aab-67cf9457fcca', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030707111d1c'),
	('2026-09-26 09:36:00+00', '2026-09-26 09:40:40.966+00', 7, 4, 2581, false, 'a7751ae0-cf3a-4e9c-a080-83ab308bb319', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x03030707111c1c'),
	('2026-09-26 14:24:00+00', '2026-09-26 14:38:20.611+00', 5, 4, 2120, false, '900b0f87-2b3e-4313-af46-b49bf0d87bc6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x03030909101d1d'),
	('2026-09-26 19:12:00+00', '2026-09-26 19:23:16.998+00', 2, 4, 10000, true, '70a2b103-0766-48c1-8f64-107df80367d9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x051313'),
	('2026-09-27 00:00:00+00', '2026-09-27 00:07:41.303+00', 8, 4, 8633, true, '556e9806-44ce-4f5b-b785-469beee52525', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0310101d'),
	('2026-09-27 04:48:00+00', '2026-09-27 04:53:03.93+00', 5, 4, 2274, false, '1056ead2-2900-4231-b33d-1a6e047b0425', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x172f2f'),
	('2026-09-27 09:36:00+00', '2026-09-27 09:53:32.969+00', 7, 4, 5976, false, '13c9b0e7-ef7a-4350-b743-3c24eb725e7f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0504131212'),
	('2026-09-27 14:24:00+00', '2026-09-27 14:42:55.683+00', 2, 4, 10000, true, '0442c802-69b1-49f7-af7c-f74cf94e54c1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19191f'),
	('2026-09-27 19:12:00+00', '2026-09-27 19:18:58.662+00', 9, 4, 2394, false, '67dc87c8-5b1f-4c1f-9c3a-a5d438b06b65', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b222c3b'),
	('2026-09-28 00:00:00+00', NULL, 11, 4, NULL, NULL, '77398a88-5830-4f9e-b4cb-2cf1bde4d8f1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x23222b3535'),
	('2026-09-28 04:48:00+00', '2026-09-28 04:58:02.441+00', 1, 4, 4488, false, 'd5c199cc-e79d-4a53-a7b5-ba93846c4ef1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07071d1d2d3a3a'),
	('2026-09-28 09:36:00+00', '2026-09-28 09:56:05.101+00', 9, 4, 5053, false, '5e31f95a-a24a-438a-af49-087ca235edd2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x14142121'),
	('2026-09-28 14:24:00+00', NULL, 2, 4, NULL, NULL, '5d5bb823-c786-4272-98a6-a2633466107c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b2323232d2d'),
	('2026-09-28 19:12:00+00', '2026-09-28 19:21:39.28+00', 8, 4, 6633, false, 'cb1fdddb-1a0c-45b7-8a51-d1d1b413c971', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17172525242e'),
	('2026-09-29 00:00:00+00', '2026-09-29 00:10:19.634+00', 12, 4, 3106, false, 'abc332f2-ecf8-43e7-a00c-7b9df6dcf38f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x09122727'),
	('2026-09-29 04:48:00+00', '2026-09-29 04:55:59.428+00', 1, 4, 4990, false, 'd6f472db-a603-4342-a549-37d00fd4265b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0a0a0f29'),
	('2026-09-29 09:36:00+00', '2026-09-29 09:42:48.757+00', 2, 4, 6299, false, '379ef044-5e80-4c2c-8a40-c60e20cc8901', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0b0f0f0f29293737'),
	('2026-09-29 14:24:00+00', '2026-09-29 14:26:30.972+00', 6, 4, 5663, false, '84ad4e9b-18f0-404c-b85a-06ac215ebc61', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b1b2d2d'),
	('2026-09-29 19:12:00+00', NULL, 9, 4, NULL, NULL, 'd016a3bf-fc94-41aa-abcb-6b02cfc3d24a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x042039'),
	('2026-09-30 00:00:00+00', '2026-09-30 00:17:43.787+00', 1, 4, 5446, false, 'c40f97ef-7ef4-4020-9734-df2f571924b8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x00000d0d0c0f0f292929'),
	('2026-09-30 04:48:00+00', '2026-09-30 05:08:03.67+00', 12, 4, 5877, false, 'b17e9706-9714-47e3-bc0a-e182ae7dc574', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1520393939'),
	('2026-09-30 09:36:00+00', '2026-09-30 09:55:12.79+00', 11, 4, 8900, true, '691cef1c-a60f-45bb-bc8e-e79d765d285d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x15152121393939'),
	('2026-09-30 14:24:00+00', '2026-09-30 14:37:23.392+00', 5, 4, 5299, false, 'e999bef6-6382-4ddc-b3ea-c3d96603c895', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x171725242e2e333232'),
	('2026-09-30 19:12:00+00', '2026-09-30 19:19:20.369+00', 9, 4, 3888, false, 'ddbcea6a-3b8a-4efb-991e-021c60dac768', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05040913131226'),
	('2026-10-01 00:00:00+00', '2026-10-01 00:20:52.764+00', 10, 4, 7065, true, '50cd4ad4-7443-4692-8ea2-0f3870365854', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2d2d3b3b3a'),
	('2026-10-01 04:48:00+00', '2026-10-01 04:58:58.065+00', 12, 4, 5613, false, '8f13ba08-d5b9-40c9-9e45-06288e4fbe4d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x152131313333'),
	('2026-10-01 09:36:00+00', '2026-10-01 09:51:06.165+00', 9, 4, 5243, false, '5def19d8-f131-4600-b0a6-6492b46888b6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2d2d3b3b'),
	('2026-10-01 14:24:00+00', '2026-10-01 14:34:19.674+00', 2, 5, 4527, false, '81129b53-c94d-4277-82c4-8b39065013c3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0409122727'),
	('2026-10-01 19:12:00+00', '2026-10-01 19:20:13.856+00', 11, 5, 10000, true, 'f12f9c0d-f270-427a-981e-e178638d9176', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1a1a23'),
	('2026-10-02 00:00:00+00', '2026-10-02 00:12:03.042+00', 3, 5, 8692, true, '1736f1b3-a211-4f12-bfb0-692a86fe62ec', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x172e2e'),
	('2026-10-02 04:48:00+00', NULL, 5, 5, NULL, NULL, '47af8fdc-50e1-475b-a042-114e974d6f39', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x151431303333'),
	('2026-10-02 09:36:00+00', '2026-10-02 09:41:21.495+00', 3, 5, 7655, true, 'a1990f95-d01c-46b7-9622-78149e13622b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1918181f1f1f2b2b3434'),
	('2026-10-02 14:24:00+00', '2026-10-02 14:32:31.139+00', 6, 5, 9790, true, '81d9cce7-0cc8-4da8-9b39-9da7dba8addf', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1a1a1a2d3b'),
	('2026-10-02 19:12:00+00', '2026-10-02 19:22:47.503+00', 3, 5, 8062, true, 'aa0dcaf3-b731-4827-9e71-21c47e40b22f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x171616253333'),
	('2026-10-03 00:00:00+00', '2026-10-03 00:19:19.83+00', 12, 5, 6864, false, '0c42651d-b66a-46be-bb0a-f8d1c8b07816', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1919192b'),
	('2026-10-03 04:48:00+00', '2026-10-03 05:06:52.134+00', 6, 5, 5603, false, '17b22adc-79b1-438b-81d4-0d79efd7101b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x191822222a2a35'),
	('2026-10-03 09:36:00+00', '2026-10-03 09:40:32.964+00', 4, 5, 9366, true, '95cf33da-b379-4733-8ab6-c0aa13afee54', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x191e1e2b2b'),
	('2026-10-03 14:24:00+00', '2026-10-03 14:42:56.389+00', 12, 5, 9990, true, 'ff04f65f-720e-4910-bdb9-ecd283a5431d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x073b3b3b'),
	('2026-10-03 19:12:00+00', '2026-10-03 19:29:19.292+00', 6, 5, 6123, false, '5d114e0e-8420-4343-8474-806214426149', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0706111d1d1d3b3b'),
	('2026-10-04 00:00:00+00', '2026-10-04 00:17:58.548+00', 10, 5, 2221, false, 'cbf6cef4-92bc-499a-b6c9-8baa0e4c2242', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1919222a3535'),
	('2026-10-04 04:48:00+00', '2026-10-04 04:51:00.785+00', 8, 5, 10000, true, 'f14aa24b-3f40-4e3e-975a-b462a840ecad', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d1f1f1f'),
	('2026-10-04 09:36:00+00', '2026-10-04 09:40:23.709+00', 1, 5, 9213, true, 'bf3f5b57-f9ca-4a3a-9649-867959ac6642', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2f3737'),
	('2026-10-04 14:24:00+00', '2026-10-04 14:27:37.264+00', 2, 5, 7836, true, 'f98d43bd-cdda-4362-83ff-f2231439009c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x20203939'),
	('2026-10-04 19:12:00+00', '2026-10-04 19:16:08.187+00', 8, 5, 6709, false, '7240f51c-b43d-43a1-b782-24efc7148ad1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05043838'),
	('2026-10-05 00:00:00+00', '2026-10-05 00:01:40.809+00', 8, 5, 7341, true, 'ec7aed02-a5be-4b71-942b-a55d77c2439e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05050412122139'),
	('2026-10-05 04:48:00+00', NULL, 7, 5, NULL, NULL, '04e8b7aa-11b0-43c1-8997-89712533ec16', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x02090811101d1c'),
	('2026-10-05 09:36:00+00', '2026-10-05 09:56:09.836+00', 7, 5, 6627, false, '3c755d23-05e4-4ee0-8860-aff81116019c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x252531313332'),
	('2026-10-05 14:24:00+00', NULL, 4, 5, NULL, NULL, '21bf2208-c332-4ad1-bdd5-e3d2ea6d7b80', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1616162f2f'),
	('2026-10-05 19:12:00+00', '2026-10-05 19:30:02.195+00', 4, 5, 4708, false, 'be5caab9-6445-4d56-b14b-03ba4a137ce6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x16161624243032'),
	('2026-10-06 00:00:00+00', '2026-10-06 00:07:55.257+00', 11, 5, 3222, false, 'b22579ac-995c-42b8-b18b-428830e926bd', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d0d1818181f'),
	('2026-10-06 04:48:00+00', '2026-10-06 05:08:30.285+00', 2, 5, 6274, false, '1c6091ff-00fe-4fac-a545-905ca02ace9c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x252530303332'),
	('2026-10-06 09:36:00+00', '2026-10-06 09:47:08.639+00', 2, 5, 2175, false, 'f4138ea7-f5d7-47ab-874f-465037d453bb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0504131227'),
	('2026-10-06 14:24:00+00', '2026-10-06 14:35:25.939+00', 5, 5, 8497, true, '418e57fe-e041-4d10-bfa0-6084496d2352', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x070610101d1d'),
	('2026-10-06 19:12:00+00', '2026-10-06 19:26:59.359+00', 3, 5, 7901, true, '3a0cab1f-33c9-4341-9a22-71325ab306d7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x153133'),
	('2026-10-07 00:00:00+00', '2026-10-07 00:12:32.229+00', 1, 5, 8880, true, 'bc35b424-3278-4aa4-82e8-c42af8bdd7fb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07061d1d2c2c3a3a3a'),
	('2026-10-07 04:48:00+00', '2026-10-07 04:56:23.15+00', 4, 5, 4511, false, 'ff191861-ef24-4fb8-a907-9d858cc2d09d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d0c1e1e'),
	('2026-10-07 09:36:00+00', NULL, 2, 5, NULL, NULL, '558758d5-9d58-4c1e-9980-9d45195535fb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0a0a292f2f3737'),
	('2026-10-07 14:24:00+00', '2026-10-07 14:39:29.122+00', 12, 5, 8864, true, 'e00c9ad2-f0c4-4461-99c0-07411e40f8a8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x3130333333'),
	('2026-10-07 19:12:00+00', '2026-10-07 19:14:50.24+00', 9, 5, 2740, false, '3f432057-7c46-4d58-83c5-faf3a113b602', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2e37'),
	('2026-10-08 00:00:00+00', NULL, 5, 5, NULL, NULL, 'd3651ba1-73e1-40c7-8395-bb4e58d5e294', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x23232b3534'),
	('2026-10-08 04:48:00+00', '2026-10-08 04:58:52.979+00', 1, 5, 2190, false, 'fc15f3fe-7d2e-4405-94a4-5831b258a4b8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030811111d'),
	('2026-10-08 09:36:00+00', '2026-10-08 09:41:43.66+00', 11, 5, 7170, true, '7c7b7750-057b-41b2-8189-ba3ceb23e084', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x090913272726'),
	('2026-10-08 14:24:00+00', '2026-10-08 14:36:54.019+00', 11, 5, 4094, false, 'b0fa6a24-facc-4a45-a355-dfe48434a37c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05041313'),
	('2026-10-08 19:12:00+00', '2026-10-08 19:27:12.844+00', 12, 5, 8193, true, '5c129069-fb9d-462d-b3bf-e49b36da7c9f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x031010101d'),
	('2026-10-09 00:00:00+00', '2026-10-09 00:09:49.394+00', 7, 6, 7421, true, '072bb036-3a3e-4630-8a3c-9f423e39bd2f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0513272727'),
	('2026-10-09 04:48:00+00', '2026-10-09 04:56:34.397+00', 10, 6, 4021, false, 'd0a08e6f-e757-4912-be07-4c1ab9c9dade', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0b2928'),
	('2026-10-09 09:36:00+00', '2026-10-09 09:51:17.43+00', 5, 6, 3916, false, '39cc93a9-dfb0-4c92-bf7c-7b2d5a1b28fb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0000000b0b0f0f292828'),
	('2026-10-09 14:24:00+00', '2026-10-09 14:28:41.675+00', 4, 6, 7680, true, '03619f49-06b4-4341-a28c-337fa3883d17', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x08082727'),
	('2026-10-09 19:12:00+00', '2026-10-09 19:29:04.64+00', 12, 6, 3914, false, 'ee9cdd2f-30e8-4078-b0d0-c43666e3c7e0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1a2222222d2c353434'),
	('2026-10-10 00:00:00+00', '2026-10-10 00:06:38.429+00', 1, 6, 4168, false, '08b149d9-9c0c-4f07-85eb-63c71c54b030', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1a2222222d2d3b3b'),
	('2026-10-10 04:48:00+00', '2026-10-10 05:00:47.1+00', 11, 6, 5260, false, '101b5589-8c78-482e-a7bd-b732635e300b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0539'),
	('2026-10-10 09:36:00+00', '2026-10-10 09:50:05.679+00', 2, 6, 5417, false, '737b7d53-167b-40e7-9d27-67fa7d774f9e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030308101010272726'),
	('2026-10-10 14:24:00+00', NULL, 12, 6, NULL, NULL, '1ea2b3a6-4057-4a1d-9389-e2d96d1da0f7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01010d0d0d18181e1e'),
	('2026-10-10 19:12:00+00', '2026-10-10 19:24:07.182+00', 3, 6, 7291, true, '8331b282-745f-4d7a-8a5d-380c46032871', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1a1a2d2d2d3b3b'),
	('2026-10-11 00:00:00+00', '2026-10-11 00:02:51.197+00', 4, 6, 6780, false, '759c5c7f-ea2e-45b7-a270-8485424788a7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x061d1d3a'),
	('2026-10-11 04:48:00+00', '2026-10-11 04:57:43.618+00', 8, 6, 5380, false, 'e77a2608-cc5e-49dc-9573-1ec38b279d1c', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0100000d'),
	('2026-10-11 09:36:00+00', '2026-10-11 09:42:27.066+00', 2, 6, 6963, false, '566f3959-7c62-4db5-bdd2-5fe6114a1311', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x071d2d3b'),
	('2026-10-11 14:24:00+00', '2026-10-11 14:42:59.226+00', 7, 6, 2392, false, 'ed0880a4-e416-405e-b05b-59041d6d6fb1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x181823222b2b2b3535'),
	('2026-10-11 19:12:00+00', '2026-10-11 19:28:39.405+00', 2, 6, 10000, true, 'ca718ecb-cf53-4a95-9142-0db3ca84e09e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1625'),
	('2026-10-12 00:00:00+00', NULL, 12, 6, NULL, NULL, '8ba9c4bd-7722-4167-92d9-b7d09aac65ed', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0303090927'),
	('2026-10-12 04:48:00+00', '2026-10-12 05:01:22.531+00', 7, 6, 6603, false, 'b9282b64-5964-4cf3-a0b4-0473cad596f6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0202021010'),
	('2026-10-12 09:36:00+00', NULL, 3, 6, NULL, NULL, '8b447377-7505-424b-a0e7-3b5477ced346', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d1f'),
	('2026-10-12 14:24:00+00', NULL, 7, 6, NULL, NULL, '43182d85-a422-42c9-91df-ea2271915327', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01000d0c0f0f'),
	('2026-10-12 19:12:00+00', '2026-10-12 19:18:27.142+00', 9, 6, 6868, false, '04a8e0c3-b6f5-43cb-b0c3-687f736e73f5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0611111d1d'),
	('2026-10-13 00:00:00+00', '2026-10-13 00:18:46.445+00', 6, 6, 3639, false, '962a2bec-866e-4ac1-b989-b2373a95c475', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0307070610101d1d'),
	('2026-10-13 04:48:00+00', '2026-10-13 05:08:01.923+00', 11, 6, 9051, true, '054e1419-c17f-42f1-add8-131c40bc98e8', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05151515213939'),
	('2026-10-13 09:36:00+00', '2026-10-13 09:55:59.345+00', 1, 6, 6879, false, 'a929ee8b-e1f2-4840-b55a-c93121376b34', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0412122739'),
	('2026-10-13 14:24:00+00', '2026-10-13 14:31:44.551+00', 2, 6, 3771, false, '7c859ae6-d1eb-44ff-a135-46b48586c3b2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1725242e2e33'),
	('2026-10-13 19:12:00+00', '2026-10-13 19:18:40.435+00', 5, 6, 9326, true, '8b854290-1a45-4349-aee7-e33bc748825f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0f0f2928'),
	('2026-10-14 00:00:00+00', '2026-10-14 00:16:45.273+00', 1, 6, 4904, false, '81edc6de-81f7-479a-ad8c-a2d76e71326d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1a2d'),
	('2026-10-14 04:48:00+00', '2026-10-14 04:57:21.603+00', 3, 6, 5428, false, '8cc94c97-7bba-4620-ac38-54bf83e256f2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x13132726'),
	('2026-10-14 09:36:00+00', '2026-10-14 09:51:23.747+00', 2, 6, 2506, false, 'bcbf00e3-a94a-4908-a318-a5995b6fa260', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0b0f0f28'),
	('2026-10-14 14:24:00+00', '2026-10-14 14:29:11.879+00', 11, 6, 5714, false, 'a3fe8265-6ed6-4bad-a265-a377da30bfb6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x16162525313131333333'),
	('2026-10-14 19:12:00+00', '2026-10-14 19:29:37.333+00', 5, 6, 2168, false, 'c803d68d-7cfa-498e-8ae0-35c00d608d9f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x16161625242f2e3333'),
	('2026-10-15 00:00:00+00', '2026-10-15 00:12:29.517+00', 3, 6, 2162, false, '12eb335e-d24a-4b77-8e02-bdcfd982c890', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x02090810'),
	('2026-10-15 04:48:00+00', '2026-10-15 04:54:07.14+00', 8, 6, 5721, false, '32910605-9445-409b-9a9f-f3b61be423bb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07063b3b'),
	('2026-10-15 09:36:00+00', '2026-10-15 09:46:17.77+00', 7, 6, 9060, true, '426bd82f-4c56-4baa-b103-0e332b82a6d3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x30303033'),
	('2026-10-15 14:24:00+00', '2026-10-15 14:43:54.979+00', 10, 6, 5184, false, 'ade8f993-90d3-4bd0-805a-092b6d28c438', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05053938'),
	('2026-10-15 19:12:00+00', '2026-10-15 19:14:43.781+00', 6, 6, 6643, false, 'ec7fa07c-9401-4bcc-b4c7-be0d7a77dc1f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x051221213938'),
	('2026-10-16 00:00:00+00', '2026-10-16 00:10:51.182+00', 10, 6, 3988, false, '275b8c67-6de3-4bdb-bbeb-050c5643e8b6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01000d'),
	('2026-10-16 04:48:00+00', '2026-10-16 05:04:48.993+00', 1, 6, 3548, false, '6c180865-79f5-40bf-8168-c8fdc35d607d', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x010d0e2928'),
	('2026-10-16 09:36:00+00', '2026-10-16 09:50:31.186+00', 9, 6, 9685, true, '0a5601e8-912b-4889-9c28-24c0de348cc3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0303101c1c'),
	('2026-10-16 14:24:00+00', '2026-10-16 14:41:29.826+00', 3, 7, 5197, false, '9748f279-86c5-469f-b040-6e841d3ae0ce', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x30333232'),
	('2026-10-16 19:12:00+00', '2026-10-16 19:32:34.071+00', 5, 7, 7120, true, '65e4f4b3-c302-4160-949d-957618487008', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17162e2e3636'),
	('2026-10-17 00:00:00+00', '2026-10-17 00:01:22.681+00', 3, 7, 5961, false, '6609d4d3-7474-40ac-963c-7ed60937b0bc', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b29373737'),
	('2026-10-17 04:48:00+00', '2026-10-17 04:59:49.798+00', 4, 7, 9977, true, '620c012b-7855-4a32-b609-ebb1ed0af3f7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b23232d2d34'),
	('2026-10-17 09:36:00+00', '2026-10-17 09:53:00.863+00', 5, 7, 5199, false, '5a57b933-c47f-45a5-8dc7-dc8a2e758575', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17242f2e'),
	('2026-10-17 14:24:00+00', '2026-10-17 14:39:50.63+00', 12, 7, 3435, false, 'e82e5911-2df5-42a6-a275-742f2819f4b1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x000a0a0f0e2928'),
	('2026-10-17 19:12:00+00', '2026-10-17 19:23:51.825+00', 6, 7, 8275, true, '27e6c8dd-7986-4371-ac75-7e84a67bf3aa', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0413272626'),
	('2026-10-18 00:00:00+00', '2026-10-18 00:11:27.521+00', 10, 7, 3648, false, '013eead5-ae49-484d-96e5-ad768c2763c4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x171725'),
	('2026-10-18 04:48:00+00', '2026-10-18 05:02:55.593+00', 8, 7, 7801, true, '7b4bac8c-7f55-4f81-bfd5-f56b9bab3184', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2b2b3535'),
	('2026-10-18 09:36:00+00', '2026-10-18 09:44:05.535+00', 6, 7, 2362, false, 'c852fbd0-d813-48a4-bd34-2a7c5b2ea6c3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07072c3b3b'),
	('2026-10-18 14:24:00+00', '2026-10-18 14:29:29.81+00', 1, 7, 9686, true, '4d2d9557-6505-4423-9a2f-0095104f9745', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b22222d34'),
	('2026-10-18 19:12:00+00', '2026-10-18 19:23:10.346+00', 12, 7, 6354, false, '576fa27f-b22e-44a7-80d9-10b1f3599115', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x152120393939'),
	('2026-10-19 00:00:00+00', '2026-10-19 00:17:00.881+00', 10, 7, 6993, false, '1f1e9665-bcab-4875-9752-3d6763f79966', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05122726'),
	('2026-10-19 04:48:00+00', '2026-10-19 05:06:55.153+00', 5, 7, 3607, false, '34c8a6f7-2093-47fc-b9c9-f5235aa0f7f0', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0707071d1c'),
	('2026-10-19 09:36:00+00', '2026-10-19 09:50:15.857+00', 8, 7, 7775, true, '274c7e1d-dbb7-4796-9be8-abb0003600af', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x090927'),
	('2026-10-19 14:24:00+00', NULL, 11, 7, NULL, NULL, 'aed20881-87f8-4904-a6a5-a0c838b54bf5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2424333232'),
	('2026-10-19 19:12:00+00', '2026-10-19 19:31:45.879+00', 6, 7, 7075, true, '67a757db-8932-4681-aa80-bf4555740d69', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x151521303939'),
	('2026-10-20 00:00:00+00', '2026-10-20 00:15:35.415+00', 11, 7, 4843, false, '3eea6d3a-566e-43bc-adb8-edc52d1693e2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x141421313939'),
	('2026-10-20 04:48:00+00', '2026-10-20 04:59:27.082+00', 7, 7, 6092, false, '96c4c5d4-2f8b-4f74-97bb-f07c144ef86f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x070711111d3b'),
	('2026-10-20 09:36:00+00', '2026-10-20 09:51:01.187+00', 6, 7, 3671, false, '0a860762-861c-4456-95ae-5a135df64514', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0d0d1f1f'),
	('2026-10-20 14:24:00+00', '2026-10-20 14:30:18.333+00', 2, 7, 2800, false, '626095b1-2aa0-4634-95fe-b6c29c1dde05', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x050515212139'),
	('2026-10-20 19:12:00+00', '2026-10-20 19:31:09.918+00', 7, 7, 4872, false, 'c4019a43-fe5e-4052-ad80-52715f1df391', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x071d1d3b3b'),
	('2026-10-21 00:00:00+00', '2026-10-21 00:18:30.42+00', 2, 7, 7600, true, '3e8567b6-bc49-40aa-a9e5-39cf83429cf5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x050404133939'),
	('2026-10-21 04:48:00+00', '2026-10-21 04:59:20.817+00', 10, 7, 3191, false, 'e7dcf9ab-0152-4223-abfb-6fdf00168d6a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x070610101d3a3a'),
	('2026-10-21 09:36:00+00', '2026-10-21 09:50:58.763+00', 10, 7, 5696, false, 'a79df081-37ab-4c09-895b-6b07cc219298', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1a232d35'),
	('2026-10-21 14:24:00+00', '2026-10-21 14:26:02.133+00', 6, 7, 7161, true, 'c6ba78d9-7768-4d0b-b198-76a009ab20c1', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0303030811101d1d1d'),
	('2026-10-21 19:12:00+00', '2026-10-21 19:22:21.236+00', 3, 7, 5192, false, '2d6b2bef-086f-4d85-a1cd-1209abfd34d6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0927'),
	('2026-10-22 00:00:00+00', '2026-10-22 00:04:18.281+00', 6, 7, 5712, false, '1ce8e04d-f60d-447a-a035-c960fb03e7bb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x031111'),
	('2026-10-22 04:48:00+00', '2026-10-22 04:51:40.019+00', 1, 7, 4713, false, '3406dd87-791f-462b-b22f-9ca76196de0b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030908'),
	('2026-10-22 09:36:00+00', '2026-10-22 09:47:19.317+00', 7, 7, 2004, false, 'e7695d43-75f9-4e25-a7fa-2afafb99a78a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x17162f2f2f'),
	('2026-10-22 14:24:00+00', '2026-10-22 14:34:07.711+00', 10, 7, 4409, false, 'c68c7a7a-bbd2-4e14-a48c-22b49a97ca8e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x15313033'),
	('2026-10-22 19:12:00+00', '2026-10-22 19:14:57.205+00', 9, 7, 8753, true, '367193ea-5e69-4b59-84dc-938855fa3014', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x233534'),
	('2026-10-23 00:00:00+00', '2026-10-23 00:13:20.514+00', 3, 7, 9675, true, 'f4a61868-f495-4b06-9986-c73495ec4700', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0a2f3736'),
	('2026-10-23 04:48:00+00', '2026-10-23 04:49:52.511+00', 11, 7, 8352, true, 'a8465b2e-e61c-404e-9e6e-00030b6e63fb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x181818222a3534'),
	('2026-10-23 09:36:00+00', '2026-10-23 09:44:56.741+00', 12, 7, 10000, true, '743d2b22-bb43-4d47-962c-4c794cbd3358', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x15142020'),
	('2026-10-23 14:24:00+00', '2026-10-23 14:42:54.469+00', 12, 7, 6780, false, '5af508a2-c26e-4583-aef9-a634171f7509', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x000d0c0c1e'),
	('2026-10-23 19:12:00+00', '2026-10-23 19:22:56.679+00', 5, 7, 6318, false, '204f9c6c-f416-4959-8343-15ba31230d97', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0f0f2828'),
	('2026-10-24 00:00:00+00', NULL, 4, 8, NULL, NULL, 'cb536cbb-8871-43ca-85e3-e1158ae67fbe', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x15203130'),
	('2026-10-24 04:48:00+00', '2026-10-24 04:51:46.589+00', 2, 8, 7014, true, 'd81449d4-873b-4309-99f2-2e49e5a9e72e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0101010d0d1f1f1e'),
	('2026-10-24 09:36:00+00', '2026-10-24 09:49:25.254+00', 3, 8, 3872, false, '449ae70b-f34e-4f53-aa43-52c31a237826', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07071c1c1c2d2c3b'),
	('2026-10-24 14:24:00+00', '2026-10-24 14:38:31.862+00', 12, 8, 4046, false, 'd87c2ae0-e560-469d-9b61-45583cf7853f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x101d1c1c'),
	('2026-10-24 19:12:00+00', '2026-10-24 19:31:14.824+00', 9, 8, 6651, false, '0ec9b929-3178-4864-bbf1-c393c9008643', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b2d2d3b3b'),
	('2026-10-25 00:00:00+00', '2026-10-25 00:08:53.992+00', 5, 8, 3340, false, '70f806e9-434a-4ae6-90e8-7a45a552331e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x05091313262626'),
	('2026-10-25 04:48:00+00', '2026-10-25 04:49:27.639+00', 2, 8, 8980, true, '13566948-ee8e-45b2-8cd3-9b0cd9136280', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0202020909'),
	('2026-10-25 09:36:00+00', '2026-10-25 09:38:14.546+00', 2, 8, 4982, false, '7784cd4d-7cfa-4fae-b764-4a0cbb54cf08', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x2222222a2a2a353535'),
	('2026-10-25 14:24:00+00', '2026-10-25 14:25:23.739+00', 8, 8, 9541, true, '6d07df56-e996-4043-852f-d6555e6cc5ba', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x06061d1d3b3a'),
	('2026-10-25 19:12:00+00', '2026-10-25 19:31:15.14+00', 8, 8, 3756, false, '806a6064-a93e-40c9-9c89-8a2bdf4e6961', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0606061d1d2d2d3b3b'),
	('2026-10-26 00:00:00+00', '2026-10-26 00:02:09.54+00', 3, 8, 5821, false, '781695ed-b756-44e5-a8a9-d0380ca2cad2', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x050505121212'),
	('2026-10-26 04:48:00+00', '2026-10-26 04:54:40.571+00', 6, 8, 4023, false, '410ab968-1305-4f38-95c6-576c14128114', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x19182b2b3434'),
	('2026-10-26 09:36:00+00', '2026-10-26 09:44:27.158+00', 4, 8, 2010, false, 'b3f0cd3d-d211-4325-810e-0edd864ed03b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x14142525303033'),
	('2026-10-26 14:24:00+00', '2026-10-26 14:32:25.266+00', 8, 8, 8595, true, '565d52c5-3b6a-46fb-b7bd-a4a3a17fc11a', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0211111d'),
	('2026-10-26 19:12:00+00', '2026-10-26 19:29:14.824+00', 6, 8, 2690, false, 'bfbfc005-aba1-4000-8cad-0e2dee54b9ae', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0421203939'),
	('2026-10-27 00:00:00+00', '2026-10-27 00:20:45.055+00', 1, 8, 5044, false, '53da7488-0862-42bd-a35a-14cbaf824a59', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1717162f2f2e'),
	('2026-10-27 04:48:00+00', '2026-10-27 05:06:57.847+00', 9, 8, 7226, true, '2c6bd8c8-78b7-4f8f-86d6-c12d18806e52', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0f0e0e2929'),
	('2026-10-27 09:36:00+00', '2026-10-27 09:37:23.979+00', 11, 8, 10000, true, '4f9294db-70cb-40aa-8495-6eb9d1019e1b', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x151521203030303332'),
	('2026-10-27 14:24:00+00', '2026-10-27 14:27:11.412+00', 2, 8, 6266, false, '408f0c72-e37a-4319-85ec-cca11e2731f5', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x172f3737'),
	('2026-10-27 19:12:00+00', '2026-10-27 19:13:53.97+00', 3, 8, 7690, true, '6df64c80-fac9-46e9-9b17-ea2dcc9dd6f9', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0a0f0f0f28'),
	('2026-10-28 00:00:00+00', '2026-10-28 00:07:28.278+00', 3, 8, 9718, true, '47979548-be10-4a16-a3ed-ed8494ebdb44', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030209090911111d1c1c'),
	('2026-10-28 04:48:00+00', '2026-10-28 04:58:43.975+00', 12, 8, 2433, false, 'b413829e-778e-4bfd-8f22-3014422e02ed', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x01010d0d'),
	('2026-10-28 09:36:00+00', '2026-10-28 09:51:38.562+00', 3, 8, 7495, true, 'b803b257-0c5d-4351-ada0-ebc6c0a5906f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030707101d1d'),
	('2026-10-28 14:24:00+00', '2026-10-28 14:32:33.398+00', 3, 8, 6976, false, 'a1d6e9a8-e259-4c77-84f6-65d1ad953ee7', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1a1a2c'),
	('2026-10-28 19:12:00+00', '2026-10-28 19:29:05.583+00', 3, 8, 5357, false, '315fd601-dfd7-4efc-9ca3-117a9451d3c4', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x061110101d1d'),
	('2026-10-29 00:00:00+00', '2026-10-29 00:14:26.672+00', 3, 8, 9465, true, '2e79de71-6600-4f40-9ca5-b5373ed8d169', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x020202092727'),
	('2026-10-29 04:48:00+00', '2026-10-29 04:57:12.3+00', 12, 8, 5331, false, '5179ccd3-a025-47da-8a2f-e86833e0b23f', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x030202070611111d'),
	('2026-10-29 09:36:00+00', '2026-10-29 09:46:04.221+00', 3, 8, 5673, false, '568b3de8-1964-4bba-8d88-468622869df3', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x171725243232'),
	('2026-10-29 14:24:00+00', '2026-10-29 14:34:00.93+00', 10, 8, 8336, true, '7753eb47-a6da-49c8-bec3-f0fee2d3c7ef', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0711101d1d'),
	('2026-10-29 19:12:00+00', '2026-10-29 19:26:46.542+00', 10, 8, 5360, false, '2676f4d4-0022-47e1-8389-f5a518198a03', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0303111d1c'),
	('2026-10-30 00:00:00+00', '2026-10-30 00:02:46.012+00', 2, 8, 5301, false, '460a59fb-d212-4f42-941c-36de29fa471e', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x07063a3a3a'),
	('2026-10-30 04:48:00+00', '2026-10-30 04:58:25.704+00', 11, 8, 7113, true, '84142a05-defe-42a5-b81b-20c0ac223344', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x141414203131'),
	('2026-10-30 09:36:00+00', '2026-10-30 09:40:15.872+00', 8, 8, 4407, false, 'd0d1c3cb-9e94-4edc-a0d2-b3841a5e36da', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1616243333'),
	('2026-10-30 14:24:00+00', '2026-10-30 14:43:37.029+00', 12, 8, 5205, false, '793366fb-6a7b-4a4d-ae00-912949976359', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x040413212039'),
	('2026-10-30 19:12:00+00', '2026-10-30 19:14:44.48+00', 9, 8, 3240, false, '7f102327-e2ef-4416-9994-7cfefb5880fa', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x0b0b0a36'),
	('2026-10-31 00:00:00+00', '2026-10-31 00:09:09.329+00', 6, 8, 4461, false, '1f6e3b7d-c66b-41cb-8bf2-5029a76decca', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x020209091010101c'),
	('2026-10-31 04:48:00+00', '2026-10-31 04:56:05.402+00', 9, 8, 2488, false, '61d2cf2f-3aa7-40c9-991a-1550420ddeb6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x1b1b2323'),
	('2026-10-31 09:36:00+00', '2026-10-31 09:38:30.284+00', 6, 8, 7379, true, 'acac8aee-b546-49b5-890f-3a1176880def', '50f89893-ae04-4f07-b036-bba78dbaad44', 'bdb53887-8ba1-4697-a2d7-015e2c7a2dd3', '\x18181823232b34');
INSERT INTO public.plays VALUES
	('2026-09-21 12:01:00+00', '2026-09-21 12:05:38.728+00', 4, 3, 5137, false, '8d80f78d-cb61-4b08-88f1-d3802ea60fdb', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0309092727'),
	('2026-09-21 16:49:00+00', '2026-09-21 17:02:56.696+00', 11, 3, 2188, false, 'af263755-a7a3-40a0-ac65-287134cbd609', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x0101010b0b0f292928'),
	('2026-09-21 21:37:00+00', '2026-09-21 21:39:31.652+00', 10, 3, 6730, false, 'afe9d1bf-fabc-454d-ac00-2e5783aca4e6', '50f89893-ae04-4f07-b036-bba78dbaad44', 'b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '\x31303232');

INSERT INTO public.sessions VALUES
	('\xcd2118ad60b23c01ec7cbe6f51ffef3691eb2cc52550ff4da2e9fd4532ed792d', '6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0002', '2026-11-21 20:24:10.687+00', '2026-11-21 20:24:10.69+00', '2026-11-22 08:24:10.69+00', false, '192.0.2.1', 'test', NULL);

INSERT INTO public.unsealed_days VALUES
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '2026-09-21');

INSERT INTO public.unsealed_months VALUES
	('b87da99a-3c4e-4e3d-9ebb-dbaffbcb647e', '2026-09-01');

INSERT INTO public.users VALUES
	('6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0001', 'owner@scale.example', 'owner@scale.example', 'Olive Owner', '$argon2id$v=19$m=19456,t=2,p=1$sz/b9EXi5ENefsapGXZiYg$RLt9QwdSvzcA+7ChBRNNbMG8a+GP8ERVGoHGb0BImjg', NULL, NULL, NULL, NULL, NULL, 0, NULL),
	('6a0e7a58-3f43-4f6d-9d0c-1a6c6f0d0002', 'admin@scale.example', 'admin@scale.example', 'Ada Admin', '$argon2id$v=19$m=19456,t=2,p=1$sz/b9EXi5ENefsapGXZiYg$RLt9QwdSvzcA+7ChBRNNbMG8a+GP8ERVGoHGb0BImjg', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', NULL, NULL, NULL, 59843088, 0, NULL);

SELECT pg_catalog.setval('public.audit_entries_id_seq', 7, true);

SELECT pg_catalog.setval('public.goose_db_version_id_seq', 10, true);

ALTER TABLE ONLY public.api_key_windows
    ADD CONSTRAINT api_key_windows_pkey PRIMARY KEY (key_id, refused);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.fork_days
    ADD CONSTRAINT fork_days_pkey PRIMARY KEY (fork_id, day);

ALTER TABLE ONLY public.fork_months
    ADD CONSTRAINT fork_months_pkey PRIMARY KEY (fork_id, month);

ALTER TABLE ONLY public.forks
    ADD CONSTRAINT forks_org_id_id_key UNIQUE (org_id, id);

ALTER TABLE ONLY public.forks
    ADD CONSTRAINT forks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.forks
    ADD CONSTRAINT forks_slug_key UNIQUE (org_id, slug) DEFERRABLE;

ALTER TABLE ONLY public.games
    ADD CONSTRAINT games_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_pkey PRIMARY KEY (group_id, player);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (org_id, user_id);

ALTER TABLE ONLY public.organisations
    ADD CONSTRAINT organisations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organisations
    ADD CONSTRAINT organisations_slug_key UNIQUE (slug) DEFERRABLE;

ALTER TABLE ONLY public.password_guesses
    ADD CONSTRAINT password_guesses_pkey PRIMARY KEY (email_hash);

ALTER TABLE ONLY public.player_groups
    ADD CONSTRAINT player_groups_org_id_id_key UNIQUE (org_id, id);

ALTER TABLE ONLY public.player_groups
    ADD CONSTRAINT player_groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.player_ordinals
    ADD CONSTRAINT player_ordinals_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_org_id_label_key UNIQUE (org_id, label);

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_org_id_ordinal_key UNIQUE (org_id, ordinal);

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.plays
    ADD CONSTRAINT plays_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email_key) DEFERRABLE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

CREATE INDEX api_keys_list ON public.api_keys USING btree (org_id, created_at DESC, id);

CREATE UNIQUE INDEX api_keys_once ON public.api_keys USING btree (org_id, once) WHERE (once IS NOT NULL);

CREATE INDEX api_keys_unrevoked ON public.api_keys USING btree (org_id, expires_at) WHERE (revoked_at IS NULL);

CREATE INDEX audit_entries_keys ON public.audit_entries USING btree (org_id, key_id, actor_kind, action, reason, at, id) WHERE (key_id IS NOT NULL);

CREATE INDEX audit_entries_kinds ON public.audit_entries USING btree (org_id, actor_kind, action, reason, at, id);

CREATE INDEX audit_entries_log ON public.audit_entries USING btree (org_id, at, id);

CREATE INDEX audit_entries_people ON public.audit_entries USING btree (org_id, actor_id, action, reason, at, id) WHERE (actor_kind = 'person'::text);

CREATE INDEX forks_game ON public.forks USING btree (game_id);

CREATE INDEX forks_list ON public.forks USING btree (org_id, created_at, id);

CREATE INDEX group_members_player ON public.group_members USING btree (org_id, player);

CREATE INDEX memberships_user ON public.memberships USING btree (user_id);

CREATE INDEX password_guesses_ended ON public.password_guesses USING btree (ends_at);

CREATE INDEX plays_period ON public.plays USING btree (fork_id, started_at, id);

CREATE INDEX plays_player ON public.plays USING btree (org_id, player, fork_id, started_at);

CREATE INDEX sessions_expired ON public.sessions USING btree (expires_at);

CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

CREATE INDEX unsealed_days_key ON public.unsealed_days USING btree (fork_id, day);

CREATE INDEX unsealed_months_key ON public.unsealed_months USING btree (fork_id, month);

CREATE TRIGGER fork_delete AFTER DELETE ON public.forks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.raise_version_of_forks();

ALTER TABLE public.forks ENABLE ALWAYS TRIGGER fork_delete;

CREATE TRIGGER fork_insert AFTER INSERT ON public.forks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.raise_version_of_forks();

ALTER TABLE public.forks ENABLE ALWAYS TRIGGER fork_insert;

CREATE TRIGGER fork_truncate AFTER TRUNCATE ON public.forks FOR EACH STATEMENT EXECUTE FUNCTION public.raise_version_of_forks();

ALTER TABLE public.forks ENABLE ALWAYS TRIGGER fork_truncate;

CREATE TRIGGER fork_update AFTER UPDATE ON public.forks REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.raise_version_of_forks();

ALTER TABLE public.forks ENABLE ALWAYS TRIGGER fork_update;

CREATE TRIGGER organisation_version BEFORE UPDATE ON public.organisations FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION public.raise_organisation_version();

ALTER TABLE public.organisations ENABLE ALWAYS TRIGGER organisation_version;

CREATE TRIGGER unseal_delete AFTER DELETE ON public.plays REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.unseal_plays();

ALTER TABLE public.plays ENABLE ALWAYS TRIGGER unseal_delete;

CREATE TRIGGER unseal_insert AFTER INSERT ON public.plays REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.unseal_plays();

ALTER TABLE public.plays ENABLE ALWAYS TRIGGER unseal_insert;

CREATE TRIGGER unseal_truncate AFTER TRUNCATE ON public.plays FOR EACH STATEMENT EXECUTE FUNCTION public.unseal_plays();

ALTER TABLE public.plays ENABLE ALWAYS TRIGGER unseal_truncate;

CREATE TRIGGER unseal_update_new AFTER UPDATE ON public.plays REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.unseal_plays();

ALTER TABLE public.plays ENABLE ALWAYS TRIGGER unseal_update_new;

CREATE TRIGGER unseal_update_old AFTER UPDATE ON public.plays REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.unseal_plays();

ALTER TABLE public.plays ENABLE ALWAYS TRIGGER unseal_update_old;

CREATE TRIGGER users_end_sessions AFTER UPDATE ON public.users FOR EACH ROW WHEN (((old.password_hash IS DISTINCT FROM new.password_hash) OR (old.totp_secret IS DISTINCT FROM new.totp_secret))) EXECUTE FUNCTION public.end_sessions();

ALTER TABLE public.users ENABLE ALWAYS TRIGGER users_end_sessions;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.fork_days
    ADD CONSTRAINT fork_days_org_id_fork_id_fkey FOREIGN KEY (org_id, fork_id) REFERENCES public.forks(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.fork_months
    ADD CONSTRAINT fork_months_org_id_fork_id_fkey FOREIGN KEY (org_id, fork_id) REFERENCES public.forks(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.forks
    ADD CONSTRAINT forks_game_id_fkey FOREIGN KEY (game_id) REFERENCES public.games(id);

ALTER TABLE ONLY public.forks
    ADD CONSTRAINT forks_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_org_id_group_id_fkey FOREIGN KEY (org_id, group_id) REFERENCES public.player_groups(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_org_id_player_fkey FOREIGN KEY (org_id, player) REFERENCES public.players(org_id, ordinal) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.player_groups
    ADD CONSTRAINT player_groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.player_ordinals
    ADD CONSTRAINT player_ordinals_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.plays
    ADD CONSTRAINT plays_org_id_fork_id_fkey FOREIGN KEY (org_id, fork_id) REFERENCES public.forks(org_id, id);

ALTER TABLE ONLY public.plays
    ADD CONSTRAINT plays_org_id_player_fkey FOREIGN KEY (org_id, player) REFERENCES public.players(org_id, ordinal) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

GRANT USAGE ON SCHEMA public TO dg_app;

GRANT SELECT,INSERT ON TABLE public.api_key_windows TO dg_app;

GRANT UPDATE(head) ON TABLE public.api_key_windows TO dg_app;

GRANT UPDATE(instants) ON TABLE public.api_key_windows TO dg_app;

GRANT SELECT,INSERT ON TABLE public.api_keys TO dg_app;

GRANT UPDATE(revoked_at) ON TABLE public.api_keys TO dg_app;

GRANT UPDATE(last_used_at) ON TABLE public.api_keys TO dg_app;

GRANT SELECT,INSERT ON TABLE public.audit_entries TO dg_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.fork_days TO dg_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.fork_months TO dg_app;

GRANT SELECT ON TABLE public.forks TO dg_app;

GRANT SELECT ON TABLE public.games TO dg_app;

GRANT SELECT ON TABLE public.goose_db_version TO dg_app;

GRANT SELECT ON TABLE public.group_members TO dg_app;

GRANT SELECT ON TABLE public.memberships TO dg_app;

GRANT SELECT ON TABLE public.organisations TO dg_app;

GRANT UPDATE(reporting_mode) ON TABLE public.organisations TO dg_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.password_guesses TO dg_app;

GRANT SELECT ON TABLE public.player_groups TO dg_app;

GRANT SELECT ON TABLE public.player_ordinals TO dg_app;

GRANT SELECT ON TABLE public.players TO dg_app;

GRANT SELECT ON TABLE public.plays TO dg_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sessions TO dg_app;

GRANT SELECT,DELETE ON TABLE public.unsealed_days TO dg_app;

GRANT SELECT,DELETE ON TABLE public.unsealed_months TO dg_app;

GRANT SELECT ON TABLE public.users TO dg_app;

GRANT UPDATE(password_hash) ON TABLE public.users TO dg_app;

GRANT UPDATE(totp_secret) ON TABLE public.users TO dg_app;

GRANT UPDATE(password_since) ON TABLE public.users TO dg_app;

GRANT UPDATE(totp_since) ON TABLE public.users TO dg_app;

GRANT UPDATE(totp_last_step) ON TABLE public.users TO dg_app;

GRANT UPDATE(wrong_codes) ON TABLE public.users TO dg_app;

GRANT UPDATE(codes_wait_until) ON TABLE public.users TO dg_app;

