package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/app/demo"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/embeddedpg"
)

// history is a file of plays of one fork, and what is needed to read it.
type history struct {
	file  string
	ids   demo.ScaleIDs
	plays int
	query string // the period that holds all of it
}

// newHistory writes a file of that many plays. Another seed is another organisation.
func newHistory(t *testing.T, seed uint64, plays int) history {
	t.Helper()
	base, err := reachable() // in memory: a soak writes gigabytes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	h := history{file: filepath.Join(base, "history.ndjson"), plays: plays}
	f, err := os.Create(h.file)
	require.NoError(t, err)
	now := time.Now().UTC()
	h.ids, err = demo.Scale(f, seed, now, demo.Size{Plays: plays, Players: 500, Days: 300, Groups: []int{4}})
	require.NoError(t, err)
	require.NoError(t, f.Close())
	h.query = fmt.Sprintf("?from=%s&to=%s", now.AddDate(0, 0, -301).Format(time.DateOnly), now.Format(time.DateOnly))
	return h
}

// importInto brings the history in by the real program.
func (h history) importInto(t *testing.T, dir string) {
	t.Helper()
	importFile(t, dir, h.file)
}

// importFile imports by the built program, which takes a tenth of the time of one under the race detector, and returns
// what it printed.
func importFile(t *testing.T, dir, file string) string {
	t.Helper()
	c := launch(t, "import", "--data-dir", dir, file)
	require.Zero(t, c.status(10*time.Minute), "%s", c.log.String())
	return c.out.String()
}

// csv is the path of the export of all of it.
func (h history) csv() string {
	return "/api/v1/forks/" + h.ids.Forks[0].String() + "/exports/csv" + h.query
}

// door is the test's own way into the database of a folder, as PostgreSQL's superuser. It keeps the server running.
type door struct {
	*pgxpool.Pool
	server *embeddedpg.Server
}

func openDoor(t *testing.T, dir string) *door {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	d := &door{server: server}
	d.Pool, err = pgxpool.New(context.Background(), asSuperuser(t, server.URL()))
	require.NoError(t, err)
	t.Cleanup(func() { d.close(t) })
	return d
}

// doorTo opens the database of a URL.
func doorTo(t *testing.T, connection string) *door {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), asSuperuser(t, connection))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return &door{Pool: pool}
}

func asSuperuser(t *testing.T, connection string) string {
	u, err := url.Parse(connection)
	require.NoError(t, err)
	u.User = url.User("postgres")
	return u.String()
}

// close gives the server back.
func (d *door) close(t *testing.T) {
	d.Close()
	require.NoError(t, d.server.Stop(context.Background()))
}

func (d *door) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := d.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

// read reads one value.
func read[T any](t *testing.T, d *door, sql string, args ...any) T {
	t.Helper()
	var v T
	require.NoError(t, d.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}

// tables counts the rows of every table.
func (d *door) tables(t *testing.T) map[string]int {
	t.Helper()
	rows, err := d.Query(t.Context(), `select tablename::text from pg_tables where schemaname = 'public'`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	counts := map[string]int{}
	for _, name := range names {
		counts[name] = read[int](t, d, `select count(*) from `+pgx.Identifier{name}.Sanitize())
	}
	require.Contains(t, slices.Collect(maps.Keys(counts)), "plays")
	return counts
}

// exportBackends are the processes of PostgreSQL that read the rows of an export.
const exportBackends = ` from pg_stat_activity where datname = current_database() and application_name = 'dg exports' and state = 'active' and query like '/* reports.export */%'`

// running counts the exports that PostgreSQL works on.
func (d *door) running(t *testing.T) int { return read[int](t, d, `select count(*)`+exportBackends) }

// finished waits for the end of the export of a request and returns its audit details.
func (d *door) finished(t *testing.T, requestID string) (outcome string, rows int) {
	t.Helper()
	until(t, 30*time.Second, "the export's end is not recorded", func() bool {
		err := d.QueryRow(context.Background(), `select details->>'outcome', (details->>'rows')::int from audit_entries
			where action = 'export.finished' and request_id = $1`, requestID).Scan(&outcome, &rows)
		return err == nil
	})
	return outcome, rows
}

// makeKey makes a key of the organisation as the settings screens will, beside whatever runs on the folder.
func makeKey(t *testing.T, dir, organisation, name string) apikeys.Token {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	return makeKeyIn(t, server.URL(), server.OwnerURL(), organisation, name)
}

// makeKeyIn makes a key in the database of the URLs, which are those of the serving role and of the owner of the tables.
func makeKeyIn(t *testing.T, serving, owner, organisation, name string) apikeys.Token {
	t.Helper()
	a, err := assembly.New(t.Context(), assembly.Settings{ServingURL: serving, BaseURL: "http://127.0.0.1", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer a.Close()
	_, token, err := a.Keys.Create(t.Context(), testOwner(t, owner, organisation),
		apikeys.NewKey{Name: name, Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}}, audit.Request{})
	require.NoError(t, err)
	return token
}

// testOwner is an owner of the organisation, made one where it is none yet by the owner of the tables.
func testOwner(t *testing.T, database, organisation string) apikeys.Actor {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	owner := apikeys.Actor{
		Person:  apikeys.Person{ID: "7e570000-0000-4000-8000-000000000000", Name: "Test"},
		Subject: authz.Subject{Kind: authz.Member, OrganisationID: organisation, Grants: authz.MemberGrants("owner", false)},
	}
	_, err = conn.Exec(t.Context(), `insert into users (id, email, email_key, name) values ($1::uuid, $1, $1, $2) on conflict (id) do nothing`, owner.ID, owner.Name)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `insert into memberships (org_id, user_id, role) values ($1, $2, 'owner') on conflict (org_id, user_id) do nothing`, organisation, owner.ID)
	require.NoError(t, err)
	return owner
}

// client has connections of its own: a test never waits for another's.
func client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
}

// ask sends a GET with the key, and with further headers given as name, value.
func ask(t *testing.T, c *http.Client, url, token string, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
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

var demoKey = regexp.MustCompile(`dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+`)

// demoToken is the key that dg has greeted with.
func demoToken(t *testing.T, c *child) string {
	t.Helper()
	token := demoKey.FindString(c.out.String())
	require.NotEmpty(t, token, c.out.String())
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
