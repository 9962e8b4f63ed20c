// Package webtest serves the assembled program on a database, for tests of the screens.
package webtest

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// World is a database with one instance of the program.
type World struct {
	*apptest.LocalServer
	DB         *testkit.World
	Log        *audit.Log
	now        func() time.Time
	ProgramLog tb.Buffer
}

// Start returns a World without organisations.
func Start(t *testing.T) *World { return StartWith(t, assembly.Settings{}) }

// StartAcme returns a World with the organisation "acme".
func StartAcme(t *testing.T) (*World, *Organisation) {
	w := Start(t)
	return w, w.AddOrganisation("acme")
}

// StartAsOwner returns a World with the organisation "acme" and a browser of its signed-in owner.
func StartAsOwner(t *testing.T) (*World, *Organisation, *testkit.Browser) {
	w, acme := StartAcme(t)
	return w, acme, w.SignIn(t, acme.Owner)
}

// StartAt returns a World with the organisation "acme" and a clock that shows *now.
func StartAt(t *testing.T, now *time.Time) (*World, *Organisation) {
	w := StartWith(t, assembly.Settings{Now: func() time.Time { return *now }})
	return w, w.AddOrganisation("acme")
}

// StartWith returns a World without organisations, with the settings. It makes the test parallel.
func StartWith(t *testing.T, settings assembly.Settings) *World {
	t.Parallel()
	if settings.Now == nil {
		settings.Now = time.Now
	}
	w := &World{DB: testkit.New(t), now: settings.Now}
	w.Log = audit.New(w.DB.DB)
	settings.Logger = w.ProgramLog.Logger()
	w.LocalServer = apptest.ServeInProcess(t, w.DB, settings)
	return w
}

func (w *World) Browser(t *testing.T) *testkit.Browser { return testkit.NewBrowser(t, w.BaseURL) }

func (w *World) SignIn(t *testing.T, p testkit.Person) *testkit.Browser {
	b := w.Browser(t).SignIn(p.Email, testkit.Password, "")
	if p.TOTPSecret != "" {
		testkit.RequireRedirect(t, "/",
			b.Post("/sign-in/code", testkit.Form("code", w.CodeNow(t, p.TOTPSecret))))
	}
	return b
}

func (o *Organisation) Path(format string, args ...any) string {
	return "/o/" + url.PathEscape(o.Slug) + fmt.Sprintf(format, args...)
}

// Organisation is an organisation with its people: an owner, an admin with two-step verification, an
// admin without it, and a member.
type Organisation struct {
	testkit.Organisation
	Owner, Admin, AdminPlain, Member testkit.Person
}

// AddOrganisation stores an organisation on the Pro plan with pseudonymous reporting, and its people.
func (w *World) AddOrganisation(slug string) *Organisation {
	return w.StoreOrganisation(testkit.Organisation{Slug: slug, Name: "Organisation " + slug})
}

// StoreOrganisation stores o and its people.
func (w *World) StoreOrganisation(o testkit.Organisation) *Organisation {
	o = w.DB.AddOrganisation(o)
	addPerson := func(name, role, secret string) testkit.Person {
		p := w.DB.AddPerson(testkit.Person{
			Name: name + " of " + o.Slug, Email: name + "@" + o.Slug + ".example",
			TOTPSecret: secret,
		})
		w.DB.Join(o.ID, p.ID, role)
		return p
	}
	return &Organisation{
		o, addPerson("owner", "owner", ""), addPerson("admin", "admin", testkit.TOTPSecret),
		addPerson("admin-plain", "admin", ""), addPerson("member", "member", ""),
	}
}

// AddFork stores a fork that the organisation's players may play.
func (w *World) AddFork(o *Organisation) testkit.Fork {
	return w.DB.AddFork(testkit.Fork{
		OrganisationID: o.ID, Title: "Prompting at the dock", Visibility: "organization",
		Release: 1,
	})
}

// AddPlayedFork stores a fork with one play of yesterday, and returns the fork's id.
func (w *World) AddPlayedFork(o *Organisation) string {
	fork := w.AddFork(o)
	yesterday := time.Now().AddDate(0, 0, -1)
	w.DB.AddPlay(testkit.Play{
		Fork: fork, Player: w.DB.AddPlayers(o.ID, 1)[0], StartedAt: yesterday,
		CompletedAt: yesterday, Score: 5000,
	})
	return fork.ID
}
