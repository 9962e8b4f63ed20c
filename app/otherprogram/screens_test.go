package otherprogram

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
	"dg/web"
	"dg/web/auditlog"
	"dg/web/organisation"
	"dg/web/reports"
	"dg/web/ui"
)

// mountScreens adds the screens of an organisation.
func (m parts) mountScreens(
	app *fiber.App, db *postgres.DB, policy *authz.Policy, log *audit.Log, url string,
) {
	own := &staff{db: db.Gorm}
	forks := games.New(db)
	web.New(web.Modules{
		Guard:        ui.Guard{Auth: own, Orgs: own, Policy: policy},
		Requests:     m.requests,
		AuditLog:     auditlog.Modules{Log: log, Keys: m.keys, Forks: forks, Groups: own},
		Keys:         m.keys,
		Organisation: organisation.Modules{Organisations: own, People: own, Keys: m.keys},
		Reports:      reports.Modules{Forks: forks, Groups: own, Reports: m.reports, Exports: m.exports},
	}, url, time.Now).MountOrganisation(app)
}

// staff is this program's people, whom a proxy authenticates. It asks for no password, so it has no
// Reauthenticate.
type staff struct {
	ui.Organisations // embedded interfaces: only the methods below are called
	organisation.Settings
	db *gorm.DB
}

// employee is a member of a tenant's staff.
type employee struct{ ID, Login, Rank, Tenant, Handle, Tier string }

// across is the scope of the lookups of owners.
var across = tenant.Across("an employee's own tenant, a cohort's owner")

var errNotFound = apperr.New(apperr.NotFound, "No such tenant.")

func (o *staff) find(ctx context.Context, condition string, args ...any) (e employee, err error) {
	found := o.db.WithContext(ctx).Scopes(across).
		Raw(`/* tenants.find */ select s.id, s.login, s.rank, s.tenant, t.handle, t.tier
		from staff s join tenants t on t.id = s.tenant where `+condition, args...).Scan(&e)
	if found.Error == nil && found.RowsAffected == 0 {
		return e, errNotFound
	}
	return e, found.Error
}

// login is the header with which the proxy names the person.
const login = "X-Login"

// Session returns the person whom the proxy names.
func (o *staff) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	return o.Revalidate(ctx, c.Get(login))
}

// Revalidate also runs during downloads.
func (o *staff) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	e, err := o.find(ctx, `s.login = ?`, token)
	if errors.Is(err, errNotFound) {
		return identity.Session{}, identity.ErrNoSession
	}
	return identity.Session{Person: identity.Person{ID: e.ID, Name: e.Login}, Token: token}, err
}

// SignInPath is a path of another site in a real program.
func (*staff) SignInPath(string) string { return "/elsewhere" }

// People names the members.
func (o *staff) People(ctx context.Context, ids []string) (people []identity.Person, err error) {
	err = o.db.WithContext(ctx).Scopes(across).
		Raw(`/* staff.people */ select id, login as name from staff where id in ?`, ids).
		Scan(&people).Error
	return people, err
}

// Membership is a person's role.
func (o *staff) Membership(ctx context.Context, person, slug string) (org.Membership, error) {
	e, err := o.find(ctx, `s.id = ? and t.handle = ?`, person, slug)
	tenant := org.Organisation{ID: e.Tenant, Slug: e.Handle, Name: e.Handle, Plan: plans[e.Tier]}
	return org.Membership{OrganisationID: e.Tenant, Organisation: tenant, Role: roles[e.Rank]}, err
}

// Members are for the settings.
func (o *staff) Members(ctx context.Context, tenantID string) ([]org.Member, int, error) {
	var all []employee
	err := tenant.Raw(o.db.WithContext(ctx), tenantID,
		`/* tenants.staff */ select id, rank from staff where tenant = @org`).Scan(&all).Error
	members := make([]org.Member, len(all))
	for i, e := range all {
		members[i] = org.Member{OrganisationID: tenantID, PersonID: e.ID, Role: roles[e.Rank]}
	}
	return members, len(all), err
}

// Groups are for reports. FindGroups and GroupPage find all cohorts: a tenant has few.
func (o *staff) Groups(ctx context.Context, tenantID, _ string) (groups []org.Group, err error) {
	err = tenant.Raw(o.db.WithContext(ctx), tenantID, `/* tenants.cohorts */
		select id, tenant as org_id, 'Cohort' as name from cohorts where tenant = @org`).
		Scan(&groups).Error
	return groups, err
}

func (o *staff) FindGroups(ctx context.Context, tenant, _ string) ([]org.Group, bool, error) {
	groups, err := o.Groups(ctx, tenant, "")
	return groups, false, err
}

func (o *staff) GroupPage(ctx context.Context, tenant string, _, _ int) ([]org.Group, int, error) {
	groups, err := o.Groups(ctx, tenant, "")
	return groups, len(groups), err
}
