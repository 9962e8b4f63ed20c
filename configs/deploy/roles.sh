#!/bin/sh
# Creates the two roles, with OWNER_PASSWORD and APP_PASSWORD, and the database. psql connects as a
# superuser, or on a managed server as a role with CREATEROLE and CREATEDB. The owner of the tables
# migrates; the other role owns nothing and serves. An existing role keeps its password, and an
# existing database its data: the script can run again.
set -eu
# Passwords are variables, because other users of the machine can see arguments of psql.
export OWNER_PASSWORD="${OWNER_PASSWORD:?}" APP_PASSWORD="${APP_PASSWORD:?}" PGOPTIONS="${PGOPTIONS-} -c client_min_messages=warning"
cd / # psql warns of a folder that it cannot enter
psql -Xq -v ON_ERROR_STOP=1 ${POSTGRES_USER:+-U "$POSTGRES_USER"} -d "${PGDATABASE:-postgres}" <<'SQL'
\getenv owner OWNER_PASSWORD
\getenv app APP_PASSWORD
select rolsuper as super from pg_roles where rolname = current_user \gset
\if :super
-- Keeps the passwords, which the next statement contains, out of the server's log.
set log_statement = none;
set log_min_duration_statement = -1;
set log_min_error_statement = panic;
\endif
select format('create role %I login password %L', name, password)
  from (values ('dg_owner', :'owner'), ('dg_app', :'app')) roles (name, password)
 where not exists (select from pg_roles where rolname = name) \gexec
\if :super
\else
-- Only a member of dg_owner may create a database for it.
grant dg_owner to current_user;
\endif
select $$create database dg owner dg_owner encoding 'UTF8' locale_provider libc locale 'C' template template0$$
 where not exists (select from pg_database where datname = 'dg') \gexec
-- For sessions through a pooler in transaction mode, to which dg does not send these settings.
alter role dg_app in database dg set statement_timeout = 30000;
alter role dg_app in database dg set lock_timeout = 2000;
alter role dg_app in database dg set idle_in_transaction_session_timeout = 10000;
select 'alter role dg_app in database dg set transaction_timeout = 0' from pg_settings where name = 'transaction_timeout' \gexec
alter role dg_app in database dg set default_transaction_isolation = 'read committed';
alter role dg_app in database dg set default_transaction_read_only = off;
alter role dg_app in database dg set search_path = public;
alter role dg_app in database dg set jit = off;
alter role dg_app in database dg set client_connection_check_interval = 5000;
alter role dg_app in database dg set tcp_keepalives_idle = 15;
alter role dg_app in database dg set tcp_keepalives_interval = 5;
alter role dg_app in database dg set tcp_keepalives_count = 3;
alter role dg_app in database dg set tcp_user_timeout = 30000;
\connect dg
\if :super
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), lo_import(text), lo_import(text, oid) from public;
\else
\warn 'Remains open: dg_app may create large objects, which fill the disk. Only a superuser can revoke it; dg doctor has the statement.'
\endif
-- Another role than dg_owner may own public, as on Azure, so the admin acts for both where it may.
select 'set role dg_owner' from pg_namespace where nspname = 'public' and not pg_has_role(nspowner, 'usage') \gexec
revoke temporary on database dg from public;
grant temporary on database dg to dg_owner; -- imports need it; another role may own an earlier database
revoke all on schema public from public;
grant all on schema public to dg_owner with grant option;
SQL
