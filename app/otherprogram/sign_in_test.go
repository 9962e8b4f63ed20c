package otherprogram

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// signIn is this program's sign-in: a proxy authenticates people. It asks for no password, so it
// has no Reauthenticate.
type signIn struct{ tenants *tenants }

// login is the header with which the proxy names the person.
const login = "X-Login"

// Session returns the person whom the proxy names.
func (s *signIn) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	return s.Revalidate(ctx, c.Get(login))
}

// Revalidate also runs during downloads.
func (s *signIn) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	e, err := s.tenants.find(s.tenants.db.WithContext(ctx), `s.login = ?`, token)
	if errors.Is(err, errNotFound) {
		return identity.Session{}, identity.ErrNoSession
	}
	return identity.Session{Person: identity.Person{ID: e.ID, Name: e.Login}, Token: token}, err
}

// SignInPath is a path of another site in a real program.
func (s *signIn) SignInPath(string) string { return "/elsewhere" }

// staff is this program's people.
type staff struct{ tenants *tenants }

// People implements organisation.People.
func (s *staff) People(ctx context.Context, ids []string) (people []identity.Person, err error) {
	err = s.tenants.db.WithContext(ctx).Scopes(across).
		Raw(`/* staff.people */ select id, login as name from staff where id in ?`, ids).
		Scan(&people).Error
	return people, err
}
