-- Completes a new cluster, in template1: the database dg is its copy, as every later one is.
create role dg_owner login;

create role dg_app login;

-- Errors of the roles' statements stay out of the server's log: they quote values.
alter role dg_owner set log_min_messages = 'log';

alter role dg_app set log_min_messages = 'log';

-- PostgreSQL allows these to everyone. No other program uses this server.
revoke create on schema public from public;

revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), lo_import(text), lo_import(text, oid) from public;

create database dg owner dg_owner;

revoke temporary on database dg from public;
