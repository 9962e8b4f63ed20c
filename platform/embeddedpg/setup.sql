-- What the database dg needs, applied at every launch by the superuser.
do $$ begin
    if to_regrole('dg_owner') is null then
        create role dg_owner login;
    end if;
end $$;
alter database dg owner to dg_owner;

-- PostgreSQL allows these to everyone. No other program uses this server.
revoke create on schema public from public;
revoke temporary on database dg from public;
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea), lo_import(text), lo_import(text, oid) from public;

-- Errors of the roles' statements stay out of the server's log: they quote values.
alter role dg_owner set log_min_messages = 'log';

-- The serving role comes last: a process that can connect as dg_app finds everything else done.
do $$ begin
    if to_regrole('dg_app') is null then
        create role dg_app login;
        alter role dg_app set log_min_messages = 'log';
    end if;
end $$;
