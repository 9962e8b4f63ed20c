-- Rights on objects that belong to no module.

grant usage on schema public to :role;

-- dg doctor compares the version of the schema with its own.
revoke all on dg_schema_versions from :role;
grant select on dg_schema_versions to :role;

-- Only the owner of the database may revoke temporary tables. PUBLIC keeps its rights, which other
-- programs may need.
do $do$ begin
    if (select pg_has_role(datdba, 'usage') from pg_database
         where datname = current_database()) then
        execute 'revoke temporary on database ' || quote_ident(current_database())
            || $role$ from :role$role$;
    end if;
end $do$;
