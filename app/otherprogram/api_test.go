package otherprogram

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/migrations"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/modules/reports/segment"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

const periodQuery = "?from=2026-03-01&to=2026-03-31"

// Each endpoint serves the key's organisation alone. Without constant pseudonyms, reports have no ETag.
func TestEndpointsServeTheOrganisationsOfTheHostProgram(t *testing.T) {
	p := start(t)
	north := p.newSchool("north", "gold")
	south := p.newSchool("south", "gold")
	token := p.newKey(north)
	fork := "forks/" + north.fork
	for path, want := range map[string]string{
		"forks":                       `"id":"` + north.fork + `"`,
		fork:                          `"id":"` + north.fork + `"`,
		fork + "/stats" + periodQuery: `"playerLabel":"P-6"`,
		fork + "/stats" + periodQuery + "&groupId=" + north.cohort: `{"plays":6,"uniquePlayers":6,`,
		fork + "/exports/csv" + periodQuery:                        ",,P-1,P-1,2026-03-01T09:30:00.000Z",
	} {
		answer := p.call(token, path).Is(t, 200).Has(t, want).Lacks(t, south.fork)
		require.Equal(t, "the-host-s-id", answer.Header.Get("X-Request-Id"))
	}
	var document struct{ Paths map[string]json.RawMessage }
	text := p.send(http.MethodGet, "/openapi/v1.json", "").Has(t, `"http://`+p.addr+`"`).Body
	require.NoError(t, json.Unmarshal([]byte(text), &document))
	for path, operation := range document.Paths {
		if bytes.Contains(operation, []byte(`/parameters/From"`)) {
			path += periodQuery
		}
		answer := p.send(http.MethodGet, strings.Replace(path, "{forkId}", north.fork, 1), token)
		require.Equal(t, 200, answer.StatusCode, "%s: it may read the views of mount_test.go alone", path)
	}
	for _, path := range []string{"/stats", "/exports/csv"} {
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			answer := p.send(method, "/api/v1/"+fork+path+periodQuery, token, "*").Is(t, 200)
			require.Empty(t, answer.Header.Values("ETag"), path)
			require.Empty(t, answer.Header.Values("DG-Months"), path)
		}
	}
	smuggling := p.sendRaw("GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n")
	require.NotContains(t, smuggling, north.fork, "as a plain fiber.App would answer")
	require.Empty(t, p.call(token, "forks/"+south.fork).Is(t, 403).Header.Get("Link"))
	p.call(token, "forks/"+north.fork+"/stats"+periodQuery+"&groupId="+south.cohort).Is(t, 404)
	require.Equal(t, 2, p.db.CountRows(`audit_entries where org_id = $1 and action = 'api_key.refused'`, north.id))
}

// Where the host's pseudonyms are constant, reports have ETags. The host's log names damaged segments.
func TestReportsFollowTheOptionsOfTheHostProgram(t *testing.T) {
	p := startWith(t, fiber.Config{}, reports.Options{FixedPseudonyms: true})
	north := p.newSchool("north", "gold")
	statistics, token := "forks/"+north.fork+"/stats"+periodQuery, p.newKey(north)
	whole := p.call(token, statistics).Is(t, 200)
	require.NotEmpty(t, whole.Header.Get("ETag"))
	p.db.Exec(`insert into fork_days values ($1, $2, '2026-03-01', $3, 1, '')`,
		north.fork, north.id, []byte{segment.DayVersion, 0, 0, 0, 0, 9})
	require.Equal(t, whole.Body, p.call(token, statistics).Body)
	require.Contains(t, p.logs.String(), "a segment is damaged")
	p.db.Exec(`revoke select on players from dg_app`)
	p.call(token, statistics).Is(t, 500)
	require.Regexp(t, `path=/api/v1/forks/\S+/stats .*permission denied for view players`, p.logs.String())
}

// An export that outlives the host's server ends when the host closes, and its end is recorded.
func TestClosingTheHostEndsExports(t *testing.T) {
	p := start(t)
	north := p.newSchool("north", "gold")
	token := p.newKey(north)
	p.db.AddPlays(testkit.Fork{ID: north.fork, OrganisationID: north.id}, 100_000,
		time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 0)
	conn := tb.Must(net.Dial("tcp", p.addr))(t)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(16<<10))
	tb.Must(io.WriteString(conn, "GET /api/v1/forks/"+north.fork+"/exports/csv"+periodQuery+
		" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\n\r\n"))(t)
	tb.Must(conn.Read(make([]byte, 1)))(t)
	p.call(token, "forks/"+north.fork+"/stats"+periodQuery) // meanwhile the export waits for its reader
	require.NoError(t, p.host.Close(t.Context()))
	require.Equal(t, 1, p.db.CountRows(`audit_entries where details->>'outcome' = 'server_stopped'`))
}

func TestChangesInTheHostProgramTakeEffectAtOnce(t *testing.T) {
	p := start(t)
	north := p.newSchool("north", "gold")
	statistics, token := "forks/"+north.fork+"/stats"+periodQuery, p.newKey(north)
	p.call(token, statistics).Has(t, `"reportingMode":"pseudonymous"`)
	p.db.Exec(`update tenants set named = true; update learners set name = null where number = 2`)
	p.call(token, statistics).Has(t, `"playerLabel":"Learner 1"`, `"playerLabel":"P-2"`)
	p.db.AddPlays(testkit.Fork{ID: north.fork, OrganisationID: north.id}, 700,
		time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 0)
	p.call(token, "forks/"+north.fork+"/exports/csv"+periodQuery).Has(t, ",P-99,Learner 99,").Lacks(t, ",,2026")
	p.db.Exec(`update cohort_learners set number = 1`)
	p.call(token, statistics+"&groupId="+north.cohort).Has(t, `"suppressed":true`)
	p.call(token, "forks")
	p.db.Exec(`update forks set title = 'Renamed'`)
	p.call(token, "forks").Has(t, `"title":"Renamed"`)
	p.db.Exec(`update tenants set tier = 'silver'`)
	p.call(token, "forks").Is(t, 401)
}

// The host program's current roles decide who manages keys. Each change is recorded.
func TestPeopleOfTheHostProgramManageKeys(t *testing.T) {
	p := start(t)
	north := p.newSchool("north", "gold")
	silver := p.newSchool("silver", "silver")
	key, token := tb.Must2(p.createKey(north, north.head))(t)
	_, _, err := p.createKey(north, north.teacher)
	require.True(t, apperr.Is(err, apperr.AccessDenied), err)
	require.ErrorIs(t, tb.ErrorOf2(p.createKey(silver, silver.head)), apikeys.ErrBelowPlan)
	require.Len(t, tb.Must(p.host.Keys.List(t.Context(), north.actor(north.head)))(t), 1)
	require.NoError(t, p.host.Keys.Revoke(t.Context(), north.actor(north.head), key.ID, audit.Request{}))
	p.call(token, "forks").Is(t, 401)
	require.Equal(t, []string{"api_key.created", "api_key.revoked", "api_key.refused"},
		testkit.Query[[]string](p.db, `select array_agg(action order by at, id) from audit_entries`))
}

// The API matches its paths exactly, whatever the app's settings. The host's own routes work, but refuse a key.
func TestPathsOfTheAPIAreMatchedExactly(t *testing.T) {
	for _, config := range []fiber.Config{{ETag: true}, {DisableHeaderNormalizing: true}} {
		require.Panics(t, func() { new(publicapi.API).Mount(fiber.New(config)) })
	}
	mounted, late := fiber.New(), fiber.New()
	new(publicapi.API).Mount(mounted)
	require.Panics(t, func() { fiber.New().Mount("/", mounted) })
	fiber.New().Mount("/", late)
	require.Panics(t, func() { new(publicapi.API).Mount(late) })
	for _, unescape := range []bool{false, true} {
		t.Run(strconv.FormatBool(unescape), func(t *testing.T) {
			p := startWith(t, fiber.Config{UnescapePath: unescape}, reports.Options{})
			north := p.newSchool("north", "gold")
			key := "authorization: Bearer " + p.newKey(north) + "\r\n"
			for request, want := range map[string][2]string{ // expected statuses, without and with a key
				"GET /api/v1/forks":               {"401", "200"},
				"GET /API/v1/forks":               {"404", "403"},
				"GET //api/v1/forks":              {"404", "403"},
				"GET /api/v1/forks/":              {"401", "404"},
				"GET /api/v1/%2e%2e/v1/forks":     {"401", "404"},
				"GET /api%2Fv1/forks":             {"404", "403"},
				"GET /%61pi/v1/forks":             {"404", "403"},
				"GET /api/v1/forks/" + north.fork: {"401", "200"},
				"GET /api/v1/fork%73/x":           {"401", "404"},
				"GET /lessons/a%20b":              {"200", "403"},
				"GET /mine":                       {"200", "403"}, // calls apikeys.AuditRequest
				"GET /crash":                      {"418", "403"},
				"GET /nowhere":                    {"404", "403"},
				"POST /api/v1/forks":              {"401", "405"},
			} {
				for i, key := range []string{"", key} {
					answer := p.sendRaw(request + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + key + "\r\n")
					require.Equal(t, want[i], strings.Fields(answer)[1], "%s %q", request, key)
					require.Equal(t, want[i] == "200" && strings.Contains(request, "/api/"),
						strings.Contains(answer, north.fork), request)
				}
			}
			filler := "X: " + strings.Repeat("x", 170) + "\r\n" // an excerpt of the request would begin within the key
			for _, malformed := range []string{"\r\n" + key, " HTTP/1.1\r\n" + key[:len(key)-2] + "\x01\r\n",
				" HTTP/1.1\r\n" + filler + key + filler} {
				answer := p.sendRaw("GET /lessons/1" + malformed + "\r\n") // fiber's ErrorHandler sends its error
				require.Contains(t, answer, "400 Bad Request")
				require.NotContains(t, answer, key[len(key)-12:len(key)-2])
			}
		})
	}
}

// A host program writes forks and plays with a role of its own. Migrations keep that role's rights.
func TestHostProgramWritesForksAndPlays(t *testing.T) {
	p := start(t)
	north := p.newSchool("north", "gold")
	token := p.newKey(north)
	require.NoError(t, tb.Exec(t, tb.AsRole(p.db.OwnerURL, "postgres"), `do $$ begin create role host_writer;
			exception when duplicate_object then null; end $$; grant host_writer to dg_owner;
		grant select, insert, update, delete on games, forks, plays to host_writer;
		grant select (id), update (version) on organisations to host_writer`))
	require.NoError(t, postgres.Migrate(t.Context(), p.db.OwnerURL, migrations.API, "dg_app", nil))
	written, answers := uuid.NewString(), games.PackAnswers([]games.SkillResult{{Skill: 0, Attempts: 2, Correct: 1}})
	p.db.Exec(`create schema own; create table own.organisations as select id, 7::bigint as version from organisations;
		grant usage on schema own to host_writer; grant select, update on own.organisations to host_writer`)
	tag := p.call(token, "forks").Header.Get("ETag")
	tx := p.db.Begin(`set local role host_writer; set local search_path = own, public`)
	p.db.ExecIn(tx, `insert into forks (id, org_id, game_id, slug, title, major, status, visibility,
		source_locale, suspended, created_at, updated_at) select $1, org_id, game_id, 'written', 'Written', 1, 'active',
		'public', 'en', false, now(), now() from forks where id = $2`, written, north.fork)
	p.db.ExecIn(tx, `insert into plays (id, org_id, fork_id, player, started_at, completed_at, score,
		passed, answers) values (gen_random_uuid(), $1, $2, 1, '2026-03-02', '2026-03-02 00:01', 8550, true, $3)`,
		north.id, written, answers)
	require.NoError(t, tx.Commit(t.Context()))
	require.NotEqual(t, tag, p.call(token, "forks").Header.Get("ETag"))
	require.Equal(t, 1, p.db.CountRows(`own.organisations where version = 7`))
	p.call(token, "forks/"+written+"/stats"+periodQuery).
		Has(t, `{"plays":1,"uniquePlayers":1,`, `"bestScorePercent":85.5,`)
}
