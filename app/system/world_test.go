package system

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/embeddedpg"
)

// makeKey makes a key of the organisation as the settings screens will, beside whatever runs on the
// folder.
func makeKey(t *testing.T, dir, organisation, name string) apikeys.Token {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	return makeKeyIn(t, server.URL(), server.OwnerURL(), organisation, name)
}

// makeKeyIn makes a key in the database of the URLs, which are those of the serving role and of the
// owner of the tables.
func makeKeyIn(t *testing.T, serving, owner, organisation, name string) apikeys.Token {
	t.Helper()
	a, err := assembly.New(t.Context(), assembly.Settings{
		ServingURL: serving,
		BaseURL:    "http://127.0.0.1",
		Log:        slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	defer a.Close()
	_, token, err := a.Keys.Create(t.Context(), testOwner(t, owner, organisation),
		apikeys.NewKey{
			Name:   name,
			Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
		}, audit.Request{})
	require.NoError(t, err)
	return token
}

// testOwner is an owner of the organisation, made one where it is none yet by the owner of the
// tables.
func testOwner(t *testing.T, database, organisation string) apikeys.Actor {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	owner := apikeys.Actor{
		Person: apikeys.Person{ID: "7e570000-0000-4000-8000-000000000000", Name: "Test"},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: organisation,
			Grants:         authz.MemberGrants("owner", false),
		},
	}
	_, err = conn.Exec(t.Context(),
		`insert into users (id, email, email_key, name) values ($1::uuid, $1, $1, $2) on conflict (id) do nothing`,
		owner.ID, owner.Name)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(),
		`insert into memberships (org_id, user_id, role)
			values ($1, $2, 'owner') on conflict (org_id, user_id) do nothing`,
		organisation, owner.ID)
	require.NoError(t, err)
	return owner
}

// contractError reads the one error body of the API, and that it holds nothing else.
func contractError(t *testing.T, body []byte) (code, detail string) {
	t.Helper()
	var e struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details struct {
			Code string `json:"code"`
		} `json:"details"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&e), "%s", body)
	require.NotEmpty(t, e.Message)
	return e.Code, e.Details.Code
}

// demoToken is the key that dg has greeted with.
func demoToken(t *testing.T, c *apptest.Child) string {
	t.Helper()
	token := apptest.DemoKey.FindString(c.Out.String())
	require.NotEmpty(t, token, c.Out.String())
	return token
}

// firstFork is the id of the first fork of a list.
func firstFork(t *testing.T, list string) string {
	t.Helper()
	var answer struct{ Items []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(list), &answer))
	require.NotEmpty(t, answer.Items)
	return answer.Items[0].ID
}
