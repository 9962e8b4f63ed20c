-- Completes a new cluster. The statements run in template1, from which PostgreSQL copies the
-- database dg and later databases.
create role dg_owner login;

create role dg_app login;

-- The server's log omits errors of these roles' statements, because such errors quote values.
alter role dg_owner set log_min_messages = 'log';

alter role dg_app set log_min_messages = 'log';

-- The serving role must not have these rights, some of which PostgreSQL grants to PUBLIC.
revoke create on schema public from public;

revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), lo_import(text), lo_import(text, oid) from public;

create database dg owner dg_owner;

revoke temporary on database dg from public;
