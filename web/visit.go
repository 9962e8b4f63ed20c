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

// Visitors tells who is signed in. It is the seam at which the product's own sign-in takes the place of this one.
type Visitors interface {
	// Visitor returns the session of the request. Errors: identity.ErrNoSession.
	Visitor(ctx context.Context, c *fiber.Ctx) (identity.Session, error)
	// Still returns the session with the token again, for what runs on after its request. Errors: identity.ErrNoSession.
	Still(ctx context.Context, token string) (identity.Session, error)
	// SignIn is where to go to sign in and then come back to next, a path of this site.
	SignIn(next string) string
}

// sessionCookie holds the session's token. Its prefix makes browsers keep it to this host, over https or loopback only.
const sessionCookie = "__Host-dg"

// cookies are the visitors who signed in here.
type cookies struct{ people *identity.Service }

func (v cookies) Visitor(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	token := c.Cookies(sessionCookie)
	if token == "" {
		return identity.Session{}, identity.ErrNoSession
	}
	return v.people.Session(ctx, token)
}

func (v cookies) Still(ctx context.Context, token string) (identity.Session, error) {
	return v.people.Session(ctx, token)
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
type visit struct {
	Person       identity.Person
	Organisation org.Organisation // on screens of no organisation the person's one, or the zero value
	Role         org.Role
	manages      bool // whether the person is owner or admin somewhere; known on screens of no organisation
	token        string
	policy       *authz.Policy
}

// signedIn returns who asks, as a visit to no organisation. Where nobody is signed in it leads to the sign-in, and
// returns neither visit nor error.
func (s *Site) signedIn(c *fiber.Ctx) (*visit, error) {
	v, err := s.visitorOf(c)
	if err != nil || v != nil {
		return v, err
	}
	next := "/" // what a form was about to change is not done behind a sign-in
	if c.Method() == fiber.MethodGet {
		next = cmp.Or(screenOf(c), localPath(c.OriginalURL()))
	}
	return nil, c.Redirect(s.visitors.SignIn(next), fiber.StatusSeeOther)
}

// visitorOf returns who asks, or nil when nobody is signed in.
func (s *Site) visitorOf(c *fiber.Ctx) (*visit, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := s.visitors.Visitor(ctx, c)
	if errors.Is(err, identity.ErrNoSession) || err == nil && session.SecondStepDue {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := &visit{Person: session.Person, token: session.Token, policy: s.Policy}
	c.Locals(visitKey{}, v)
	httpserver.MarkAuthenticated(c)
	return v, nil
}

type visitKey struct{}

// visitOf returns the visit that was found for the request, or nil.
func visitOf(c *fiber.Ctx) *visit {
	v, _ := c.Locals(visitKey{}).(*visit)
	return v
}

var errNoOrganisation = apperr.New(apperr.NotFound, "There is no such organisation, or you are not a member of it.")

// person makes a handler of one for somebody who is signed in.
func (s *Site) person(handle func(*fiber.Ctx, *visit) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		v, err := s.signedIn(c)
		if err != nil || v == nil {
			return err
		}
		if _, err := s.placesOf(c, v); err != nil {
			return err
		}
		return handle(c, v)
	}
}

// placesOf returns the person's memberships. A person with one is taken to visit it.
func (s *Site) placesOf(c *fiber.Ctx, v *visit) ([]org.Membership, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	places, err := s.Orgs.MembershipsOf(ctx, v.Person.ID)
	if err != nil {
		return nil, err
	}
	for _, m := range places {
		v.manages = v.manages || m.Role != org.RoleMember
	}
	if len(places) == 1 {
		v.Organisation, v.Role = places[0].Organisation, places[0].Role
	}
	return places, nil
}

// member makes a handler of one for members of the organisation in the path who may do the deed.
func (s *Site) member(deed authz.Permission, handle func(*fiber.Ctx, *visit) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		v, err := s.signedIn(c)
		if err != nil || v == nil {
			return err
		}
		slug, err := url.PathUnescape(c.Params("org"))
		if err != nil {
			return errNoOrganisation
		}
		ctx, stop := bounded(c.UserContext())
		m, err := s.Orgs.Membership(ctx, v.Person.ID, slug)
		stop()
		if apperr.Is(err, apperr.NotFound) {
			return errNoOrganisation
		}
		if err != nil {
			return err
		}
		v.Organisation, v.Role = m.Organisation, m.Role
		if err := v.decide(deed); err != nil {
			return err
		}
		return handle(c, v)
	}
}

// subject is the visitor as the policy sees it.
func (v *visit) subject() authz.Subject {
	return authz.Subject{
		Kind: authz.Member, OrganisationID: v.Organisation.ID, Grants: authz.MemberGrants(string(v.Role), v.Person.TwoStep),
	}
}

// actor is the visitor as somebody who manages keys.
func (v *visit) actor() apikeys.Actor {
	return apikeys.Actor{Person: apikeys.Person{ID: v.Person.ID, Name: v.Person.Name}, Subject: v.subject()}
}

// audited is the visitor as the audit log names it.
func (v *visit) audited() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: v.Person.ID, Name: v.Person.Name}
}

// may says whether the visitor may do the deed in the organisation: what is not allowed is not offered either. A failure
// to decide allows nothing.
func (v *visit) may(deed authz.Permission) bool { return v.decide(deed) == nil }

// decide returns nil, or an error that says who can help.
func (v *visit) decide(deed authz.Permission) error {
	err := v.policy.Authorize(v.subject(), deed, v.Organisation.ID)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", v.deniedWords(deed))
	}
	return err
}

// deniedWords say why the visitor may not do a deed, and who can help. The name of the organisation is between marks that
// isolate its direction.
func (v *visit) deniedWords(deed authz.Permission) string {
	switch {
	case v.Role == org.RoleMember:
		return "Reports and settings are for owners and admins of \u2068" + v.Organisation.Name + "\u2069. If you need them, ask an owner to change your role."
	case deed == authz.ChangeReportingMode:
		return "Only an owner can change the reporting mode. Ask one of them."
	case deed == authz.CreateKey:
		return needsTwoStep + " Set it up there, or ask an owner."
	}
	return "Your role does not allow this. Ask an owner of the organisation."
}

// path is the address of one of the organisation's screens.
func (v *visit) path(screen string) string { return organisationPath(v.Organisation.Slug) + screen }

// requestOf is the request as the audit log keeps it, without the secret of a key that stands where it does not belong.
func requestOf(c *fiber.Ctx) audit.Request {
	return audit.Request{
		Method: strings.Clone(c.Method()), Path: strings.Clone(apikeys.Redact(c.Path())), Address: httpserver.ClientAddr(c),
		UserAgent: strings.Clone(apikeys.Redact(c.Get(fiber.HeaderUserAgent))), ID: httpserver.RequestID(c),
	}
}

// nameRequest tells the modules which request they act in: security events are recorded with it.
func nameRequest(c *fiber.Ctx) error {
	c.SetUserContext(identity.WithRequest(c.UserContext(), identity.Request(requestOf(c))))
	return c.Next()
}

// answerTimeout bounds what a screen asks of the database. It is above the bound of a statement, which says more of what
// went wrong.
const answerTimeout = 35 * time.Second

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, answerTimeout)
}
