package otherprogram

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// signIn is this program's sign-in: a proxy before it says who somebody is. It asks for no
// password, so it has no Reauthenticate.
type signIn struct{ tenants *tenants }

// login is the header that the proxy sends.
const login = "X-Login"

// Session, Revalidate and SignInPath are ui.Authenticator.
func (s *signIn) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	return s.Revalidate(ctx, c.Get(login))
}

// Revalidate is called while a download runs.
func (s *signIn) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	e, err := s.tenants.find(s.tenants.db.WithContext(ctx), `s.login = ?`, token)
	if errors.Is(err, errNotFound) {
		return identity.Session{}, identity.ErrNoSession
	}
	return identity.Session{Person: identity.Person{ID: e.ID, Name: e.Login}, Token: token}, err
}

// SignInPath is another site's in a real program.
func (s *signIn) SignInPath(string) string { return "/elsewhere" }

// staff is this program's people.
type staff struct{ tenants *tenants }

// People is for the list of members.
func (s *staff) People(ctx context.Context, ids []string) (people []identity.Person, err error) {
	err = s.tenants.db.WithContext(ctx).Scopes(across).
		Raw(`/* staff.people */ select id, login as name from staff where id in ?`, ids).
		Scan(&people).Error
	return people, err
}
