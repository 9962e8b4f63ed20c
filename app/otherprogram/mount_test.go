package otherprogram

import (
	"database/sql"

	"gorm.io/gorm"

	"dg/platform/authz"
	"dg/platform/postgres/tenant"
)

// schemaSQL creates the host program's tables, and views with the columns that apikeys, games and reports read.
const schemaSQL = `
create table tenants (id uuid primary key, handle text not null unique, tier text not null,
	named boolean not null, version bigint);
create table staff (id uuid primary key, tenant uuid not null references tenants, rank text not null);
create table learners (tenant uuid not null references tenants, number integer not null,
	alias text not null, name text, primary key (tenant, number));
create table cohorts (id uuid primary key, tenant uuid not null references tenants);
create table cohort_learners (tenant uuid not null references tenants,
	cohort uuid not null references cohorts, number integer not null);
create function renew() returns trigger language plpgsql as $$ begin
	new.version := uuid_hash_extended(gen_random_uuid(), 0); return new; end $$;
create trigger version before insert or update on tenants for each row execute function renew();
create view organisations as select id, case tier when 'gold' then 'pro' else 'free' end as plan,
	case when named then 'nominative' else 'pseudonymous' end as reporting_mode, version from tenants;
create view players as
	select tenant as org_id, number::bigint as ordinal, alias as label, name as display_name from learners;
create view player_groups as select id, tenant as org_id from cohorts;
create view group_members as select tenant as org_id, cohort as group_id, number as player from cohort_learners;
grant select on organisations, players, player_groups, group_members, tenants, staff, cohorts to dg_app;
grant update (rank) on staff to dg_app; -- for the lock of LockedSubjectIn`

type tenants struct{}

func (tenants) LockedSubjectIn(tx *gorm.DB, id, person string) (authz.Subject, error) {
	return subject(tx, id, person, " for share")
}

func (tenants) SubjectIn(tx *gorm.DB, id, person string) (authz.Subject, error) {
	return subject(tx, id, person, "")
}

var roles = map[string]string{"head": "owner", "teacher": "member"}

func subject(tx *gorm.DB, id, person, lock string) (authz.Subject, error) {
	var rank string
	err := tenant.Raw(tx, id, `/* tenants.rank */ select rank from staff
		where tenant = @org and id = @person`+lock, sql.Named("person", person)).Scan(&rank).Error
	grants := authz.MemberGrants(roles[rank], false)
	return authz.Subject{Kind: authz.Member, OrganisationID: id, Grants: grants}, err
}
