package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/reports/sealer"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
	"dg/web"
)

type requestWorld struct {
	*apptest.LocalServer
	t             *testing.T
	db            *testkit.World
	admin         *testkit.World // connects as a superuser
	tables        []string
	tokens        map[string]string            // tokens by name
	cookies       map[string]map[string]string // cookies by person and name
	forks         map[string]string            // ids by name
	groups        map[string]string            // ids by name
	keyID         string                       // id of the key that forms change
	offeredSecret string                       // two-step secret that is offered to "enrolling"
}

// newRequestWorld stores data and serves the program, which reaches the database by the URL that proxyURL returns.
func newRequestWorld(t *testing.T, proxyURL func(url string) string, prepare ...func(w *requestWorld)) *requestWorld {
	w := &requestWorld{t: t, db: testkit.New(t), tokens: map[string]string{}, forks: map[string]string{},
		cookies: map[string]map[string]string{"-": {}}, groups: map[string]string{}}
	w.fill()
	for _, change := range prepare {
		change(w)
	}
	w.LocalServer = apptest.ServeInProcess(t, w.db, assembly.Settings{ServingURL: proxyURL(w.db.URL)})
	w.signAllIn()
	w.admin = apptest.OpenAdminDBAt(t, w.db.OwnerURL)
	w.saveTables()
	return w
}

func (w *requestWorld) saveTables() {
	w.tables = testkit.Query[[]string](w.admin, `select array_agg(tablename::text order by tablename)
		from pg_tables where schemaname = 'public'`)
	w.admin.Exec(`create schema saved`)
	for _, table := range w.tables {
		w.admin.Exec(fmt.Sprintf(`create table saved.%s as table public.%[1]s`, table))
	}
}

func (w *requestWorld) restoreTables() {
	sql := `begin; set local session_replication_role = replica;` // disables triggers, deferred ones too
	for _, table := range w.tables {
		sql += fmt.Sprintf(`delete from public.%s;
			insert into public.%[1]s overriding system value table saved.%[1]s;`, table)
	}
	w.admin.Exec(sql + ` commit`)
}

// fill stores two organisations on the Pro plan and one below that plan. One is nominative, and the plays are sealed.
func (w *requestWorld) fill() {
	firstPlay := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	acme := w.createOrganisation("acme", testkit.Organisation{}, 60)
	other := w.db.AddFork(testkit.Fork{OrganisationID: acme, Title: "Another fork"})
	w.db.AddPlays(other, 700, firstPlay, time.Hour) // more plays than the export's first statement reads
	w.forks["other"] = other.ID
	w.createOrganisation("named", testkit.Organisation{ReportingMode: "nominative"}, 60)
	w.createOrganisation("below", testkit.Organisation{Plan: "team"}, 0)
	tb.Must(newSealer(w.db.DB).Seal(w.t.Context()))(w.t)
	for _, p := range []struct{ name, role, secret string }{
		{"owner", "owner", ""}, {"admin", "admin", testkit.TOTPSecret}, {"plain", "admin", ""},
		{"member", "member", ""}, {"enrolling", "member", ""},
	} {
		person := w.db.AddPerson(testkit.Person{Email: p.name + "@acme.example", TOTPSecret: p.secret})
		w.db.Join(acme, person.ID, p.role)
	}
	w.db.Exec(`insert into recovery_codes (user_id, code_hash)
		select id, sha256('code') from users where totp_secret is not null`)
	w.db.Exec(`insert into account_resets (user_id, token_hash, expires_at) select id,
		sha256('reset'), now() + interval '1 hour' from users where email = 'admin@acme.example'`)
	w.tokens["forks-only"] = w.db.AddKey(acme, "forks:read").Token()
	for _, name := range []string{"revoked", "expired", "limited", "limited-refusals"} {
		w.tokens[name] = w.db.AddKey(acme).Token()
	}
	id := func(name string) string { return strings.Split(w.tokens[name], "_")[2] }
	w.db.Exec(`update api_keys set revoked_at = now() - interval '1 hour' where id = any ($1)`,
		[]string{id("revoked"), id("limited-refusals")})
	w.db.Exec(`update api_keys set (created_at, expires_at) =
		(now() - interval '2 days', now() - interval '1 day') where id = $1`, id("expired"))
	w.db.Exec(`insert into api_key_windows (key_id, refused, instants) select id, refused, array_fill(
			case when id = $1 and not refused or id = $2
			  and refused then now() + interval '20 minutes' else '-infinity' end, array[120])
		  from api_keys, (values (false), (true)) as r (refused)`, id("limited"), id("limited-refusals"))
	wrongSecret := strings.Repeat("s", 49)
	w.tokens["unknown"] = testkit.Key{ID: strings.Repeat("u", 22), Secret: wrongSecret}.Token()
	w.tokens["wrong-secret"] = testkit.Key{ID: id("acme"), Secret: wrongSecret}.Token()
	w.keyID = id("acme")
}

func newSealer(db *postgres.DB) *sealer.Sealer {
	s := sealer.New(db, time.Now, slog.New(slog.DiscardHandler))
	s.MinPlays = 10
	return s
}

// createOrganisation stores an organisation with two forks, twelve players, and a shown and a hidden group.
func (w *requestWorld) createOrganisation(slug string, o testkit.Organisation, plays int) string {
	o.Slug = slug
	o = w.db.AddOrganisation(o)
	players := w.db.AddPlayers(o.ID, 12)
	fork := w.db.AddFork(testkit.Fork{OrganisationID: o.ID, Title: "Fork of " + slug})
	w.db.AddFork(testkit.Fork{OrganisationID: o.ID, Title: "Empty fork of " + slug})
	w.db.AddPlays(fork, plays, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 8*time.Hour)
	w.forks[slug] = fork.ID
	w.tokens[slug] = w.db.AddKey(o.ID).Token()
	w.groups[slug] = w.db.AddGroup(o.ID, players[:8]...)
	w.groups["small "+slug] = w.db.AddGroup(o.ID, players[:3]...)
	return o.ID
}

// signAllIn signs all people in. "code" is a session that still needs its second step.
func (w *requestWorld) signAllIn() {
	for _, name := range []string{"owner", "admin", "plain", "member", "enrolling", "code"} {
		browser := testkit.NewBrowser(w.t, w.BaseURL)
		email := strings.Replace(name, "code", "admin", 1) + "@acme.example"
		secret := map[string]string{"admin": testkit.TOTPSecret}[name]
		w.cookies[name] = browser.SignIn(email, testkit.Password, secret).Cookies
	}
	enrolling := testkit.NewBrowser(w.t, w.BaseURL)
	enrolling.Cookies = maps.Clone(w.cookies["enrolling"])
	w.offeredSecret = enrolling.BeginTwoStep(testkit.Password)
	w.cookies["enrolling"] = enrolling.Cookies
	// moves the last use back, so that each request stores a new one
	w.db.Exec(`update sessions set last_used_at = last_used_at - interval '5 minutes'`)
	w.db.Exec(`update users set totp_last_step = null`)
}

func (w *requestWorld) awaitIdle() {
	apptest.WaitUntil(w.t, 20*time.Second, "connections are in use after the answer", func() bool {
		used := int32(0)
		for _, db := range []*postgres.DB{w.Pools.Requests, w.Pools.Snapshots, w.Pools.Recheck} {
			used += db.Pool.Stat().AcquiredConns()
		}
		return used == 0 && w.MetricValue("dg_work_running") == 0
	})
}

// send returns the status of the response, or 0 if no complete response arrived.
func (w *requestWorld) send(r tableRequest) int {
	headers := []string{"Accept", "text/html", "User-Agent", "Firefox"}
	key, isKey := strings.CutPrefix(r.who, "key:")
	if isKey {
		headers = []string{"Authorization", "Bearer " + w.tokens[key]}
	}
	request := newRequest(w.BaseURL+r.path, r.values(w), headers)
	request.Method = r.verb
	for name, value := range w.cookies[r.who] {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := apptest.NewClient().Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0
	}
	return response.StatusCode
}

// counterTables count requests and guesses. They may change although the request fails.
var counterTables = []string{"api_key_windows", "api_key_usage", "password_guesses"}

// failCommitSQL fails the n-th commit that writes tables outside counterTables. A sequence counts transactions, because
// it is not rolled back. The end of an export does not count: it is recorded in the background.
const failCommitSQL = `create sequence commits;
	create table failing (n bigint);
	create function fail_commit() returns trigger language plpgsql security definer as $$ begin
		if to_jsonb(new) ->> 'action' = 'export.finished' then
			return null;
		end if;
		if current_setting('dg.counted', true) is distinct from txid_current()::text then
			perform set_config('dg.counted', txid_current()::text, false);
			if nextval('commits') = (select n from failing) then
				raise 'the commit fails' using errcode = '57014';
			end if;
		end if;
		return null;
	end $$`

// /docs/security, Failures half-way: if a failed commit makes a request fail, neither data nor audit log change.
func TestFailedCommitChangesNothing(t *testing.T) {
	t.Parallel()
	w := newRequestWorld(t, func(url string) string { return url })
	w.admin.Exec(failCommitSQL)
	for _, table := range w.tables {
		if !slices.Contains(counterTables, table) {
			w.admin.Exec(fmt.Sprintf(`create constraint trigger fails after insert or update or delete
				on public.%s deferrable initially deferred for each row execute function fail_commit()`, table))
		}
	}
	failures := 0
	for _, request := range w.requests(endpointTable(t) + apiTable + formTable) {
		for n := 1; ; n++ {
			w.restoreTables()
			before := w.checksums()
			w.admin.Exec(`truncate failing; alter sequence commits restart`)
			w.admin.Exec(`insert into failing values ($1)`, n)
			status := w.send(request)
			w.awaitIdle()
			if testkit.Query[int64](w.admin, `select last_value from commits`) < int64(n) {
				require.Equal(t, request.wantStatus, status, request)
				break
			}
			failures++
			if status == http.StatusServiceUnavailable {
				require.Equal(t, before, w.checksums(), "%s: commit %d failed", request, n)
			} else {
				require.Equal(t, request.wantStatus, status, "%s: commit %d failed", request, n)
			}
		}
	}
	require.Greater(t, failures, 30)
}

// checksums returns a checksum of each table that a failed request must not change.
func (w *requestWorld) checksums() string {
	var selects []string
	for _, table := range w.tables {
		if !slices.Contains(counterTables, table) {
			selects = append(selects, fmt.Sprintf(`select '%s ' || md5(string_agg(row, '' order by row)) as row
				from (select (to_jsonb(t) - 'last_used_at' - 'expires_at')::text as row from public.%[1]s t
				where to_jsonb(t) ->> 'action' is distinct from 'export.finished') r`, table))
		}
	}
	return testkit.Query[string](w.admin,
		`select string_agg(row, E'\n' order by row) from (`+strings.Join(selects, " union all ")+`) t`)
}

type tableRequest struct {
	who, verb, path string // who: a person, key:name, or "-" for signed out
	wantStatus      int
	form            string // body of a POST
}

func (r tableRequest) String() string { return strings.Join([]string{r.verb, r.path, r.who}, " ") }

// requests parses a table with the columns who, verb, path, status and, optionally, form:name=value&….
func (w *requestWorld) requests(table string) (requests []tableRequest) {
	placeholders := strings.NewReplacer("{period}", "?from=2026-03-01&to=2026-03-31",
		"{none}", "00000000-0000-4000-8000-000000000000",
		"{fork}", w.forks["acme"], "{other}", w.forks["other"], "{named}", w.forks["named"],
		"{group}", w.groups["acme"], "{small}", w.groups["small acme"],
		"{foreign}", w.groups["named"], "{keys}", "/o/acme/settings/api-keys",
		"{key}", "/o/acme/settings/api-keys/"+w.keyID, "{keyID}", w.keyID,
		"{report}", "/o/acme/reports/"+w.forks["acme"])
	for line := range strings.Lines(placeholders.Replace(table)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		r := tableRequest{who: fields[0], verb: fields[1], path: fields[2]}
		r.wantStatus, _ = strconv.Atoi(fields[3])
		r.form = strings.TrimPrefix(strings.Join(fields[4:], ""), "form:")
		requests = append(requests, r)
	}
	return requests
}

func (r tableRequest) values(w *requestWorld) url.Values {
	if r.form == "" {
		return nil
	}
	values, _ := url.ParseQuery(r.form)
	for _, field := range values {
		switch field[0] {
		case "PASSWORD":
			field[0] = testkit.Password
		case "NEW":
			field[0] = "another long password"
		case "CODE":
			field[0] = testkit.TOTPCode(w.t, testkit.TOTPSecret, time.Now())
		case "OFFER":
			field[0] = testkit.TOTPCode(w.t, w.offeredSecret, time.Now())
		}
	}
	return values
}

func endpointTable(t *testing.T) string {
	document := apptest.ReadFile(t, apptest.RepositoryPath("modules", "publicapi", "openapi.json"))
	var api struct{ Paths map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(document), &api))
	var table strings.Builder
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		period := ""
		if bytes.Contains(api.Paths[path], []byte(`/parameters/From"`)) {
			period = "{period}"
		}
		fmt.Fprintf(&table, "key:acme GET %s%s 200\n", strings.Replace(path, "forkId", "fork", 1), period)
	}
	return table.String()
}

// apiTable has requests that send other statements than those of endpointTable.
const apiTable = `
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={group} 200
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={small} 200
key:named GET /api/v1/forks/{named}/stats{period} 200
key:acme GET /api/v1/forks/{other}/exports/csv{period} 200
key:acme HEAD /api/v1/forks/{fork}/exports/csv{period} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={group} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={small} 200
key:named GET /api/v1/forks/{named}/exports/csv{period} 200
key:acme GET /api/v1/forks/{none} 404
key:acme GET /settings/api-keys 403
key:limited-refusals GET /settings/api-keys 429
- GET /readyz 200
key:unknown GET /api/v1/forks/{fork}/stats{period} 401
key:wrong-secret GET /api/v1/forks/{fork}/stats{period} 401
key:revoked GET /api/v1/forks/{fork}/stats{period} 401
key:expired GET /api/v1/forks/{fork}/stats{period} 401
key:below GET /api/v1/forks/{fork}/stats{period} 401
key:limited GET /api/v1/forks 429
key:limited-refusals GET /api/v1/forks 429
key:forks-only GET /api/v1/forks/{fork}/stats{period} 403
key:forks-only GET /api/v1/forks/{fork}/exports/csv{period} 403
key:named GET /api/v1/forks/{fork}/stats{period} 403
key:named GET /api/v1/forks/{fork}/exports/csv{period} 403
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={none} 404
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={none} 404
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={foreign} 404
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={foreign} 404
`

// pageTable returns a request for every page but those of sign-in and reset, and for each path that redirects to one.
func pageTable() string {
	var table strings.Builder
	for _, s := range web.New(web.Dependencies{}, "", time.Now).Screens() {
		path := strings.NewReplacer(":org", "acme", ":fork", "{fork}", ":key", "{keyID}",
			":recipe", "python", ":language", "de", ":operation", "getForkStats").Replace(s.Path)
		shortPath, inOrganisation := strings.CutPrefix(path, "/o/acme")
		switch {
		case s.Page == nil, strings.HasPrefix(path, "/sign-in"), path == "/account/reset":
		case strings.HasPrefix(path, "/account"):
			fmt.Fprintf(&table, "admin GET %s 200\n", path)
		default:
			fmt.Fprintf(&table, "owner GET %s 200\n", path)
			if inOrganisation && !strings.ContainsAny(shortPath, "{.") {
				fmt.Fprintf(&table, "owner GET %s 303\n", shortPath)
			}
		}
	}
	return table.String()
}

const screenTable = `
- GET /sign-in 200
- GET /account/reset?token=reset 200
code GET /sign-in/code 200
member GET /account 200
plain GET /o/acme/settings/organisation 200
plain GET {keys} 200
admin GET {keys} 200
owner GET {report}{period} 200
owner GET {report}{period}&groupId={group} 200
owner GET {report}{period}&groupId={small} 200
owner GET {report}?from=2001-01-01&to=2001-01-07 200
owner GET {report}/plays.csv{period} 200
owner GET /o/acme/settings/audit-log?before=1 200
member GET /o/acme/reports 403
plain GET {keys}/new 403
owner GET /o/named/reports 404
- GET /account/reset?token=none 404
owner GET /o/acme/reports/{named} 404
`

// formTable has a request for each form, and for outcomes that send other statements.
const formTable = `
- POST /sign-in 303 form:email=member@acme.example&password=PASSWORD
owner POST /sign-in 303 form:email=member@acme.example&password=PASSWORD
- POST /sign-in 303 form:email=admin@acme.example&password=PASSWORD
- POST /sign-in 401 form:email=member@acme.example&password=wrong
- POST /sign-in 401 form:email=nobody@acme.example&password=wrong
code POST /sign-in/code 303 form:code=CODE
code POST /sign-in/code 401 form:code=000000
owner POST /sign-out 303 form:a=b
- POST /account/reset 200 form:token=reset&new=NEW&repeat=NEW
owner POST /account/reset 200 form:token=reset&new=NEW&repeat=NEW
owner POST /account 303 form:a=b
enrolling POST /account/two-step 200 form:do=on&code=OFFER
owner POST /account/two-step 303 form:do=begin&current=PASSWORD
owner POST /account/password 303 form:current=PASSWORD&new=NEW&repeat=NEW
admin POST /account/password 303 form:current=PASSWORD&new=NEW&repeat=NEW&code=CODE
owner POST /account/password 422 form:current=wrong&new=NEW&repeat=NEW
admin POST /account/two-step 303 form:do=off&current=PASSWORD&code=CODE
admin POST /account/recovery-codes 200 form:current=PASSWORD&code=CODE
owner POST {key}/rename 303 form:name=Another+name
admin POST {key}/replace 200 form:name=A+key&scopes=forks:read&overlap=day&expiry=90
plain POST {key}/revoke 303 form:a=b
owner POST {keys}/new 200 form:name=A+key&scopes=forks:read&scopes=reports:read&expiry=never
owner POST {keys}/new 400 form:name=
owner POST /o/acme/settings/organisation/reporting-mode 303 form:mode=nominative&organisation=acme
`
