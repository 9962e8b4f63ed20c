package otherprogram

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
	"dg/platform/testkit/fixtures"
	"dg/web/organisation"
	"dg/web/ui"
)

// schema replaces the tables of org and identity by those of this program, and by views with the
// columns that the statements of apikeys, games and reports read.
const schema = `
drop function lock_membership;
drop table organisations, memberships, players, player_ordinals, player_groups, group_members,
  users, sessions, password_guesses,
	recovery_codes, account_resets, known_browsers cascade;

create table tenants (id uuid primary key, handle text not null unique, tier text not null,
  named boolean not null, version bigint);
create table staff (id uuid primary key, tenant uuid not null references tenants,
  login text not null unique, rank text not null);
create table learners (id uuid primary key, tenant uuid not null references tenants,
  number integer not null, alias text not null,
	name text not null);
create table cohorts (id uuid primary key, tenant uuid not null references tenants);
create table cohort_learners (cohort uuid not null references cohorts, number integer not null);
-- Each change draws a new version, the key of caches and ETags. Triggers of forks set it through the view.
create trigger version before insert or update on tenants for each row execute function raise_organisation_version();

create view organisations as select id, case tier when 'gold' then 'pro' else 'free' end as plan,
	case when named then 'nominative' else 'pseudonymous' end as reporting_mode, version from tenants;
create view players as select id, tenant as org_id, number as ordinal, alias as label, name
  as display_name from learners;
create view player_ordinals as select tenant as org_id, max(number) as last from learners group by tenant;
create view player_groups as select id, tenant as org_id from cohorts;
create view group_members as select c.tenant as org_id, m.cohort as group_id, m.number as player
	from cohort_learners m join cohorts c on c.id = m.cohort;
grant select on organisations, players, player_ordinals, player_groups, group_members, tenants, staff, cohorts to %[1]s;
grant update (rank) on staff to %[1]s; -- for the lock of SubjectIn`

// tenants is this program's organisations.
type tenants struct {
	ui.Organisations // embedded interfaces: only the methods below are called
	organisation.Settings
	db *gorm.DB
}

// employee is a member of a tenant's staff.
type employee struct{ ID, Login, Rank, Tenant, Handle, Tier string }

// across is the scope of the lookups of owners.
var across = tenant.Across("an employee's own tenant, a cohort's owner")

var errNotFound = apperr.New(apperr.NotFound, "No such tenant.")

func (o *tenants) find(db *gorm.DB, condition string, args ...any) (e employee, err error) {
	found := db.Scopes(across).
		Raw(`/* tenants.find */ select s.id, s.login, s.rank, s.tenant, t.handle, t.tier
		from staff s join tenants t on t.id = s.tenant where `+condition, args...).Scan(&e)
	if found.Error == nil && found.RowsAffected == 0 {
		return e, errNotFound
	}
	return e, found.Error
}

func planOf(tier string) org.Plan {
	return map[string]org.Plan{"gold": org.PlanPro}[tier]
}

func roleOf(rank string) org.Role {
	return map[string]org.Role{"head": org.RoleOwner, "teacher": org.RoleMember}[rank]
}

// Membership is for the screens.
func (o *tenants) Membership(ctx context.Context, personID, slug string) (org.Membership, error) {
	e, err := o.find(o.db.WithContext(ctx), `s.id = ? and t.handle = ?`, personID, slug)
	tenant := org.Organisation{ID: e.Tenant, Slug: e.Handle, Name: e.Handle, Plan: planOf(e.Tier)}
	return org.Membership{OrganisationID: e.Tenant, Organisation: tenant, Role: roleOf(e.Rank)}, err
}

// OrganisationIn, SubjectIn and CurrentSubjectIn are for apikeys.
func (o *tenants) OrganisationIn(tx *gorm.DB, id string) (org.Organisation, error) {
	var tier string
	err := tenant.Raw(tx, id, `/* tenants.tier */ select tier from tenants where id = @org`).
		Scan(&tier).Error
	return org.Organisation{ID: id, Plan: planOf(tier)}, err
}

func (o *tenants) SubjectIn(tx *gorm.DB, tenant, person string) (authz.Subject, error) {
	return o.subject(tx, tenant, person, ` for share of s`)
}

func (o *tenants) CurrentSubjectIn(tx *gorm.DB, tenant, person string) (authz.Subject, error) {
	return o.subject(tx, tenant, person, ``)
}

func (o *tenants) subject(tx *gorm.DB, tenant, person, lock string) (authz.Subject, error) {
	e, err := o.find(tx, `s.tenant = ? and s.id = ?`+lock, tenant, person)
	return authz.Subject{
		Kind:           authz.Member,
		OrganisationID: tenant,
		Grants:         authz.MemberGrants(string(roleOf(e.Rank)), false),
	}, err
}

// Members, Groups and GroupPage are for the screens of settings and reports.
func (o *tenants) Members(ctx context.Context, tenantID string) ([]org.Member, int, error) {
	var all []employee
	err := tenant.Raw(o.db.WithContext(ctx), tenantID,
		`/* tenants.staff */ select id, rank from staff where tenant = @org`).Scan(&all).Error
	members := make([]org.Member, len(all))
	for i, e := range all {
		members[i] = org.Member{OrganisationID: tenantID, PersonID: e.ID, Role: roleOf(e.Rank)}
	}
	return members, len(all), err
}

func (o *tenants) Groups(ctx context.Context, tenantID, _ string) (groups []org.Group, err error) {
	err = tenant.Raw(o.db.WithContext(ctx), tenantID, `/* tenants.cohorts */
		select id, tenant as org_id, 'Cohort' as name from cohorts where tenant = @org`).
		Scan(&groups).Error
	return groups, err
}

// FindGroups and GroupPage find all cohorts: a tenant has few.
func (o *tenants) FindGroups(ctx context.Context, tenant, _ string) ([]org.Group, bool, error) {
	groups, err := o.Groups(ctx, tenant, "")
	return groups, false, err
}

func (o *tenants) GroupPage(
	ctx context.Context, tenant string, _, _ int,
) ([]org.Group, int, error) {
	groups, err := o.Groups(ctx, tenant, "")
	return groups, len(groups), err
}

// school is a tenant with a fork, six learners in a cohort and a play of each.
type school struct{ id, handle, fork, cohort string }

// newSchool stores a school. Its head signs in with its handle.
func newSchool(db *fixtures.Database, handle, tier string) school {
	s := school{
		id: fixtures.One[string](db,
			`insert into tenants values (gen_random_uuid(), $1, $2, false) returning id`, handle,
			tier),
		handle: handle,
	}
	db.Exec(
		`insert into staff values (gen_random_uuid(), $1, $2, 'head'), (gen_random_uuid(), $1,
			$2 || '-teacher', 'teacher')`,
		s.id, handle,
	)
	db.Exec(
		`insert into learners select gen_random_uuid(), $1, n, 'P-' || n, 'Learner ' || n from generate_series(1, 6) n`,
		s.id,
	)
	s.cohort = fixtures.One[string](db,
		`insert into cohorts values (gen_random_uuid(), $1) returning id`, s.id)
	db.Exec(`insert into cohort_learners select $1, n from generate_series(1, 6) n`, s.cohort)
	fork := db.Fork(fixtures.Fork{OrganisationID: s.id})
	for n := range 6 {
		db.Play(fixtures.Play{Fork: fork, Player: fixtures.Player{Ordinal: n + 1}, StartedAt: day})
	}
	s.fork = fork.ID
	return s
}

// newTenants creates the tables of this program.
func newTenants(db *fixtures.Database, serving *postgres.DB) *tenants {
	var role string
	serving.Gorm.Scopes(across).Raw(`select current_user`).Scan(&role)
	db.Exec(fmt.Sprintf(schema, role))
	return &tenants{db: serving.Gorm}
}
