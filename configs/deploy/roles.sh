#!/bin/sh
# Makes the two roles and the database. OWNER_PASSWORD and APP_PASSWORD are their passwords; psql connects as a superuser.
# A role that owns the tables migrates; one that owns nothing serves.
set -eu
psql -v ON_ERROR_STOP=1 -v owner="$OWNER_PASSWORD" -v app="$APP_PASSWORD" ${POSTGRES_USER:+-U "$POSTGRES_USER"} -d postgres <<'SQL'
create role dg_owner login password :'owner';
create role dg_app login password :'app';
create database dg owner dg_owner encoding 'UTF8' locale 'C' template template0;
\connect dg
revoke temporary on database dg from public;
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), lo_import(text), lo_import(text, oid) from public;
revoke all on schema public from public;
grant all on schema public to dg_owner;
SQL
