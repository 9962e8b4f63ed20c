package system

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/browsertest"
)

// screen is a path, and the actions that lead to the screen.
type screen struct {
	name, path string
	shows      string // text that only this screen has
	status     int    // 0: 200
	do         func(*browsertest.Page)
}

// viewer is a person and the screens to open.
type viewer struct {
	email   string // empty: signed out
	screens []screen
}

// Every screen and open dialog on the demo data, in a browser: no violation of WCAG 2.2 A and AA,
// light, dark and in forced colours, targets of 24 px, no text under 12 px, no horizontal scrolling
// at 320 px, no control on paper, under 60 KB with all its files, no error in the console.
// DG_SCREENS=all asks axe for all its rules in every mode. -v prints each screen's bytes; DG_SHOTS
// names a folder for pictures (screens_look_test.go).
func TestScreens(t *testing.T) {
	t.Parallel()
	served := serveDemo(t)
	d := served.Child
	db := served.db
	fork := apptest.Read[string](t, db,
		`select id::text from forks where slug = 'prompting-at-the-dock'`)
	smallGroup := apptest.Read[string](t, db,
		`select id::text from player_groups where name = 'Night shift, gate 4'`)
	key := apptest.Read[string](t, db, `select k.id from api_keys k join forks f using (org_id)
		where f.slug = 'prompting-at-the-dock'`)
	hostileFork := apptest.Read[string](t, db,
		`select id::text from forks where slug = 'studio-council'`)
	db.Do(t, `with g as (insert into player_groups (id, org_id, name)
		  select gen_random_uuid(), org_id, 'All but one' from forks where id = $1 returning id, org_id)
		insert into group_members select p.org_id, g.id, p.ordinal from players p join g using (org_id)
		  where p.ordinal <> (select player from plays
		    where fork_id = $1 and started_at < now() order by started_at desc limit 1)`, fork)
	db.Do(t, `insert into account_resets (user_id, token_hash, expires_at)
		select id, sha256('look'), now() + interval '30 minutes' from users
		  where email_key = 'ilya@harbour.example.com'`)
	db.Do(t, `insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		select k.org_id, k.id, (now() at time zone 'utc')::date - ago, 400 + ago * 37 % 211,
		  ago * 13 % 29, ago % 7 / 6 * 40 from api_keys k, generate_series(0, 29) ago`)
	t.Run("each viewer", func(t *testing.T) {
		viewers := make(chan viewer, 6)
		for _, v := range []viewer{
			{"maren@harbour.example.com", slices.Concat( // the longest first
				tableScreens(fork, key, ofOrganisation), ownerScreens())},
			{"tomas@harbour.example.com", slices.Concat(
				tableScreens(fork, key, ofAccount), twoStepAdminScreens(fork, smallGroup),
				passwordAgainScreens(t, db, "tomas@harbour.example.com"))},
			{"", slices.Concat(tableScreens(fork, key, ofDocs), signedOutScreens())},
			{"noor@atelier.example.org", smallOrganisationScreens(hostileFork)},
			{"claire@harbour.example.com", adminScreens(t)},
			{"ilya@harbour.example.com", memberScreens()},
		} {
			viewers <- v
		}
		close(viewers)
		// Not by t.Parallel: parallel subtests would run last, and alone.
		var looking sync.WaitGroup
		for range 2 {
			looking.Go(func() {
				for v := range viewers {
					t.Run(cmp.Or(v.email, "signed out"), func(t *testing.T) {
						v.checkScreens(t, d)
					})
				}
			})
		}
		looking.Wait()
	})
	// Screens of another state.
	db.Do(t, `update organisations set plan = 'team' where slug = 'harbour-and-vale'`)
	db.Do(t, `insert into memberships (org_id, user_id, role)
		select o.id, u.id, 'owner' from organisations o, users u
		  where o.slug = 'atelier-north-light' and u.email_key = 'ilya@harbour.example.com'`)
	viewer{
		"maren@harbour.example.com",
		[]screen{{name: "keys-below-pro", shows: "paused", path: "/settings/api-keys"}},
	}.checkScreens(t, d)
	viewer{
		"ilya@harbour.example.com",
		[]screen{{name: "organisations", shows: "Your organisations", path: "/"}},
	}.checkScreens(t, d)
}

func (v viewer) checkScreens(t *testing.T, c *apptest.Child) {
	page := browsertest.New(t)
	page.Open(c.URL + "/sign-in")
	if v.email != "" {
		signIn(t, page, c, apptest.DemoAccount(t, v.email), "/account")
	}
	for _, s := range v.screens {
		t.Run(s.name, func(t *testing.T) { s.check(t, page.With(t)) })
	}
}

func (s screen) check(t *testing.T, p *browsertest.Page) {
	p.ClearCache()
	p.Open(s.path)
	if s.do != nil {
		weigh(t, p)
		s.do(p)
	}
	require.Equal(t, cmp.Or(s.status, http.StatusOK), p.Status())
	require.Contains(t, p.Text("body"), s.shows)
	weigh(t, p)
	looksRight(t, p)
	shoot(p, s.name)
}

// enter fills fields, given as selector and text, and sends the form.
func enter(fields ...string) func(*browsertest.Page) {
	return func(p *browsertest.Page) {
		for i := 0; i < len(fields); i += 2 {
			p.Fill(fields[i], fields[i+1])
		}
		p.Click("main button.primary")
	}
}

func click(selector string) func(*browsertest.Page) {
	return func(p *browsertest.Page) { p.Click(selector) }
}

func fillKey(p *browsertest.Page) {
	p.Fill("#name", "A key to look at")
	p.Click(`label[for="sf"]`)
	p.Click(`label[for="sr"]`)
}

// openKey opens the page of the oldest key, and a form of it.
func openKey(form string) func(*browsertest.Page) {
	return func(p *browsertest.Page) {
		p.Click("table.keys tbody tr:last-child th a")
		p.WaitFor("main dl.kv")
		p.Click(`main .actions a:text("` + form + `")`)
		p.WaitFor("#name:focus") // which scrolls to it
	}
}

func createKey(p *browsertest.Page) {
	fillKey(p)
	p.Click(`main button.primary`)
	p.WaitFor("#secret")
}

// yearUntilToday is the query of the longest period.
func yearUntilToday() string {
	today := time.Now().UTC()
	return fmt.Sprintf("?from=%s&to=%s", today.AddDate(0, 0, -365).Format(time.DateOnly),
		today.Format(time.DateOnly))
}
