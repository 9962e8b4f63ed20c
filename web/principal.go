package web

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// Authenticator tells who is signed in. It is the seam at which the product's own sign-in takes the place of this one.
type Authenticator interface {
	// Visitor returns the session of the request. Errors: identity.ErrNoSession.
	Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error)
	// Still returns the session with the token again, for what runs on after its request. Errors: identity.ErrNoSession.
	Revalidate(ctx context.Context, token string) (identity.Session, error)
	// SignIn is where to go to sign in and then come back to next, a path of this site.
	SignIn(next string) string
}

// sessionCookie holds the session's token. Its prefix makes browsers keep it to this host, over https or loopback only.
const sessionCookie = "__Host-dg"

// cookies are the visitors who signed in here.
type cookies struct{ people, recheck *identity.Service }

func (v cookies) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	token := c.Cookies(sessionCookie)
	if token == "" {
		return identity.Session{}, identity.ErrNoSession
	}
	return v.people.Session(ctx, token)
}

func (v cookies) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	return v.recheck.Session(ctx, token)
}

func (cookies) SignIn(next string) string { return withNext("/sign-in", next) }

// withNext is a path of the sign-in that knows where to go afterwards.
func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?" + url.Values{"next": {next}}.Encode()
}

// visit is a request of somebody who is signed in.
type principal struct {
	Person       identity.Person
	Organisation org.Organisation // on screens of no organisation the person's one, or the zero value
	Role         org.Role
	manages      bool // whether the person is owner or admin somewhere; known on screens of no organisation
	token        string
	policy       *authz.Policy
}

// signedIn returns who asks, as a visit to no organisation. Where nobody is signed in it leads to the sign-in, and
// returns neither visit nor error.
func (h *Handler) signedIn(c *fiber.Ctx) (*principal, error) {
	p, err := h.authenticate(c)
	if err != nil || p != nil {
		return p, err
	}
	next := "/" // what a form was about to change is not done behind a sign-in
	if c.Method() == fiber.MethodGet {
		next = cmp.Or(screenOf(c), localPath(c.OriginalURL()))
	}
	return nil, c.Redirect(h.auth.SignIn(next), fiber.StatusSeeOther)
}

// authenticate returns who asks, or nil when nobody is signed in.
func (h *Handler) authenticate(c *fiber.Ctx) (*principal, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := h.auth.Session(ctx, c)
	if errors.Is(err, identity.ErrNoSession) || err == nil && session.SecondStepDue {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &principal{Person: session.Person, token: session.Token, policy: h.Policy}
	c.Locals(principalKey{}, p)
	httpserver.MarkAuthenticated(c)
	return p, nil
}

type principalKey struct{}

// principalOf returns the visit that was found for the request, or nil.
func principalOf(c *fiber.Ctx) *principal {
	v, _ := c.Locals(principalKey{}).(*principal)
	return v
}

var errNoOrganisation = apperr.New(apperr.NotFound, "There is no such organisation, or you are not a member of it.")

// person makes a handler of one for somebody who is signed in.
func (h *Handler) person(handle func(*fiber.Ctx, *principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.signedIn(c)
		if err != nil || p == nil {
			return err
		}
		if _, err := h.memberships(c, p); err != nil {
			return err
		}
		return handle(c, p)
	}
}

// memberships returns the person's memberships. A person with one is taken to visit it.
func (h *Handler) memberships(c *fiber.Ctx, p *principal) ([]org.Membership, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	places, err := h.Orgs.MembershipsOf(ctx, p.Person.ID)
	if err != nil {
		return nil, err
	}
	for _, m := range places {
		p.manages = p.manages || m.Role != org.RoleMember
	}
	if len(places) == 1 {
		p.Organisation, p.Role = places[0].Organisation, places[0].Role
	}
	return places, nil
}

// member makes a handler of one for members of the organisation in the path who may do the permission.
func (h *Handler) member(permission authz.Permission, handle func(*fiber.Ctx, *principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.signedIn(c)
		if err != nil || p == nil {
			return err
		}
		slug, err := url.PathUnescape(c.Params("org"))
		if err != nil {
			return errNoOrganisation
		}
		ctx, stop := bounded(c.UserContext())
		m, err := h.Orgs.Membership(ctx, p.Person.ID, slug)
		stop()
		if apperr.Is(err, apperr.NotFound) {
			return errNoOrganisation
		}
		if err != nil {
			return err
		}
		p.Organisation, p.Role = m.Organisation, m.Role
		if err := p.decide(permission); err != nil {
			return err
		}
		return handle(c, p)
	}
}

// subject is the visitor as the policy sees it.
func (p *principal) subject() authz.Subject {
	return authz.Subject{
		Kind: authz.Member, OrganisationID: p.Organisation.ID, Grants: authz.MemberGrants(string(p.Role), p.Person.TwoStep),
	}
}

// actor is the visitor as somebody who manages keys.
func (p *principal) actor() apikeys.Actor {
	return apikeys.Actor{Person: apikeys.Person{ID: p.Person.ID, Name: p.Person.Name}, Subject: p.subject()}
}

// audited is the visitor as the audit log names it.
func (p *principal) audited() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: p.Person.ID, Name: p.Person.Name}
}

// may says whether the visitor may do the permission in the organisation: what is not allowed is not offered either. A failure
// to decide allows nothing.
func (p *principal) may(permission authz.Permission) bool { return p.decide(permission) == nil }

// decide returns nil, or an error that says who can help.
func (p *principal) decide(permission authz.Permission) error {
	err := p.policy.Authorize(p.subject(), permission, p.Organisation.ID)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", p.denialReason(permission))
	}
	return err
}

// denialReason say why the visitor may not do a permission, and who can help. The name of the organisation is between marks that
// isolate its direction.
func (p *principal) denialReason(permission authz.Permission) string {
	switch {
	case p.Role == org.RoleMember:
		return "Reports and settings are for owners and admins of \u2068" + p.Organisation.Name + "\u2069. If you need them, ask an owner to change your role."
	case permission == authz.ChangeReportingMode:
		return "Only an owner can change the reporting mode. Ask one of them."
	case permission == authz.CreateKey:
		return needsTwoStep + " Set it up there, or ask an owner."
	}
	return "Your role does not allow this. Ask an owner of the organisation."
}

// path is the address of one of the organisation's screens.
func (p *principal) path(screen string) string { return organisationPath(p.Organisation.Slug) + screen }

// requestOf is the request as the audit log keeps it, without the secret of a key that stands where it does not belong.
func requestOf(c *fiber.Ctx) audit.Request {
	return audit.Request{
		Method: strings.Clone(c.Method()), Path: strings.Clone(apikeys.Redact(c.Path())), Address: httpserver.ClientAddr(c),
		UserAgent: strings.Clone(apikeys.Redact(c.Get(fiber.HeaderUserAgent))), ID: httpserver.RequestID(c),
	}
}

// nameRequest tells the modules which request they act in: security events are recorded with it.
func nameRequest(c *fiber.Ctx) error {
	c.SetUserContext(identity.WithRequest(c.UserContext(), requestOf(c)))
	return c.Next()
}

// answerTimeout bounds what a screen asks of the database. It is above the bound of a statement, which says more of what
// went wrong.
const answerTimeout = 35 * time.Second

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, answerTimeout)
}
