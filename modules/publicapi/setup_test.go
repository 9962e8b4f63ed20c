package publicapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/importer"
	"dg/platform/authz"
	"dg/platform/testkit/pgtest"
)

// world is a database with one instance of the whole program, reached over a real connection: API,
// health and screens in their real order.
type world struct {
	db   *pgtest.Database
	keys *apikeys.Module
	log  *audit.Log
	app  *fiber.App
	url  string
	http *http.Client // checks what passes through it against the document
}

// start starts a world without organisations.
func start(t *testing.T) *world {
	t.Helper()
	return startOn(t, pgtest.New(t))
}

// startOn starts one more instance on a database.
func startOn(t *testing.T, db *pgtest.Database) *world {
	t.Helper()
	return startOver(t, db, assembly.Pools{Auth: db.DB, Reads: db.DB, Exports: db.DB})
}

// startOver starts an instance with pools of its own, and with routes after those of the program.
func startOver(
	t *testing.T, db *pgtest.Database, pools assembly.Pools, after ...func(*fiber.App),
) *world {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + ln.Addr().String()
	program, err := assembly.NewWithPools(pools, assembly.Settings{
		BaseURL: url, Log: slog.New(slog.DiscardHandler), Grace: time.Second,
	})
	require.NoError(t, err)
	for _, mount := range after {
		mount(program.Server.App())
	}

	var served sync.WaitGroup
	served.Go(func() { _ = program.Server.Serve(ln) })
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = program.Server.Shutdown(context.Background())
		served.Wait()
	})
	w := &world{
		db: db, keys: program.Keys, log: audit.New(pools.Auth), app: program.Server.App(), url: url,
	}
	w.http = &http.Client{Transport: newContractCheck(t, url, transport)}
	return w
}

// load imports histories.
func (w *world) load(t *testing.T, histories ...*history) {
	t.Helper()
	input := importer.Input{Name: t.Name(), Open: func() (io.ReadCloser, error) {
		var b strings.Builder
		for _, h := range histories {
			h.write(&b)
		}
		return io.NopCloser(strings.NewReader(b.String())), nil
	}}
	_, err := importer.New(w.db.Owner.Pool).Import(t.Context(), []importer.Input{input}, nil)
	require.NoError(t, err)
}

// owner returns an owner of the organisation.
func owner(organisationID string) apikeys.Actor {
	return apikeys.Actor{
		Person: apikeys.Person{ID: "11111111-1111-4111-8111-111111111111", Name: "Ada"},
		Subject: authz.Subject{
			Kind: authz.Member, OrganisationID: organisationID,
			Grants: authz.MemberGrants("owner", false),
		},
	}
}

// key makes a key with the scopes, both by default.
func (w *world) key(t *testing.T, organisationID string, scopes ...apikeys.Scope) apikeys.Token {
	t.Helper()
	if scopes == nil {
		scopes = []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}
	}
	who := owner(organisationID)
	w.exec(t,
		`insert into users (id, email, email_key, name) values ($1::uuid, $1, $1, $2) on conflict (id) do nothing`,
		who.ID, who.Name)
	w.exec(t,
		`insert into memberships (org_id, user_id, role)
			values ($1, $2, 'owner') on conflict (org_id, user_id) do nothing`,
		organisationID, who.ID)
	_, token, err := w.keys.Manager.Create(t.Context(), who, apikeys.NewKey{Name: "BI", Scopes: scopes},
		audit.Request{})
	require.NoError(t, err)
	return token
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// send sends a request; headers are pairs that replace or, when repeated, add.
func (w *world) send(t *testing.T, method, path, authorization string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, http.NoBody)
	require.NoError(t, err)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := w.http.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response, string(body)}
}

// decoded reads the JSON of an answer 200.
func decoded[T any](t *testing.T, got answer) (value T) {
	t.Helper()
	require.Equal(t, http.StatusOK, got.StatusCode, got.body)
	require.NoError(t, json.Unmarshal([]byte(got.body), &value))
	return value
}

func (w *world) get(t *testing.T, path string, token apikeys.Token, headers ...string) answer {
	t.Helper()
	return w.send(t, http.MethodGet, path, "Bearer "+token.String(), headers...)
}

// entries returns an organisation's log, newest first, without the creation of keys.
func (w *world) entries(t *testing.T, organisationID string) []audit.Entry {
	t.Helper()
	all, err := w.log.List(t.Context(), organisationID, audit.Page{Limit: 1000})
	require.NoError(t, err)
	var entries []audit.Entry
	for _, e := range all {
		if e.Action != audit.KeyCreated {
			entries = append(entries, e)
		}
	}
	return entries
}

// exec changes the data as the owner of the tables.
func (w *world) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := w.db.Owner.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}
