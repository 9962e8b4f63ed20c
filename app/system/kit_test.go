package system

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/embeddedpg"
)

// demoServed is a dg serve with the demo.
type demoServed struct {
	*apptest.Child
	dir   string
	db    *apptest.AdminDB
	token string // of the demo's key
}

func serveDemo(t *testing.T, args ...string) *demoServed {
	t.Helper()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, append([]string{"--demo"}, args...)...)
	return &demoServed{Child: c, dir: dir, db: apptest.OpenAdminDB(t, dir), token: c.DemoToken()}
}

// makeKey makes a key of the organisation. Programs may run on the folder.
func makeKey(t *testing.T, dir, organisation, name string) apikeys.Token {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	a, actor := secondInstance(t, server.URL(), server.OwnerURL(), organisation)
	return newKey(t, a, actor, name)
}

func newKey(t *testing.T, a *assembly.Program, by apikeys.Actor, name string) apikeys.Token {
	t.Helper()
	_, token, err := a.Keys.Create(t.Context(), by, apikeys.NewKey{
		Name:   name,
		Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
	}, audit.Request{})
	require.NoError(t, err)
	return token
}

// secondInstance opens the assembled program on the database, with an owner of the organisation.
func secondInstance(
	t *testing.T, serving, owner, organisation string,
) (*assembly.Program, apikeys.Actor) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), owner)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	actor := apikeys.Actor{
		Person: apikeys.Person{ID: "7e570000-0000-4000-8000-000000000000", Name: "Test"},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: organisation,
			Grants:         authz.MemberGrants("owner", false),
		},
	}
	_, err = conn.Exec(t.Context(), `with person as (insert into users (id, email, email_key, name)
			values ($1::uuid, $1, $1, 'Test') on conflict (id) do nothing)
		insert into memberships (org_id, user_id, role) values ($2, $1, 'owner')
			on conflict (org_id, user_id) do nothing`, actor.ID, organisation)
	require.NoError(t, err)
	a, err := assembly.New(t.Context(), assembly.Settings{
		ServingURL: serving,
		BaseURL:    "http://127.0.0.1",
		Log:        slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	return a, actor
}

// runDoctor runs dg doctor on the database.
func runDoctor(x *apptest.External, args ...string) (status int, out string) {
	x.T.Helper()
	c := apptest.Launch(x.T, append(x.On("doctor"), args...)...)
	return c.Status(time.Minute), c.Out.String()
}

// requireUnavailable requires status 503 with exactly the API's error body.
func requireUnavailable(t *testing.T, answer apptest.Answer) {
	t.Helper()
	require.Equal(t, 503, answer.Status, "%s", answer.Body)
	require.Regexp(t, `^[1-9]\d*$`, answer.Header.Get("Retry-After"))
	var e struct {
		Code    string
		Message string
		Details struct{ Code string }
	}
	d := json.NewDecoder(bytes.NewReader([]byte(answer.Body)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&e), "%s", answer.Body)
	require.NotEmpty(t, e.Message)
	require.Equal(t, "unavailable ERR_UNAVAILABLE", e.Code+" "+e.Details.Code)
}

// firstFork is the path of the first fork of a list.
func firstFork(t *testing.T, list string) string {
	t.Helper()
	var answer struct{ Items []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(list), &answer))
	require.NotEmpty(t, answer.Items)
	return "/api/v1/forks/" + answer.Items[0].ID
}

// paste runs the curl line of a greeting in a shell, and returns its output.
func paste(t *testing.T, greeting string) (forks string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: there is no curl to paste the line into")
	}
	line := apptest.CurlLine.FindStringSubmatch(greeting)
	require.NotNil(t, line, greeting)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line[1]+" --fail").Output()
	require.NoError(t, err, line[1])
	require.Contains(t, string(out), `"gameId"`)
	return string(out)
}
