package otherprogram

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
)

const period = "?from=2026-03-01&to=2026-03-31"

func TestTheFourEndpointsServeItsOwnOrganisations(t *testing.T) {
	t.Parallel()
	p := start(t)
	north := newSchool(p.db, "north", "gold")
	south := newSchool(p.db, "south", "gold")
	_, token := p.create(north)
	for path, want := range map[string]string{
		"forks":               `"id":"` + north.fork + `"`,
		"forks/" + north.fork: `"id":"` + north.fork + `"`,
		"forks/" + north.fork + "/stats" +
			period: `{"plays":6,"uniquePlayers":6,`,
		"forks/" + north.fork + "/stats" + period + "&groupId=" +
			north.cohort: `"playerLabel":"P-6"`,
		"forks/" + north.fork + "/exports/csv" + period: north.fork +
			",,P-1,P-1,2026-03-01T09:30:00.000Z",
	} {
		status, body := p.call(token, path)
		require.Equal(t, http.StatusOK, status, "%s: %s", path, body)
		require.Contains(t, body, want, path)
		require.NotContains(t, body, south.fork, path)
	}
	status, body := p.call(token, "forks/"+south.fork)
	require.Equal(t, http.StatusForbidden, status, body)
	status, body = p.call(token, "forks/"+north.fork+"/stats"+period+"&groupId="+south.cohort)
	require.Equal(t, http.StatusNotFound, status, body)
	require.Equal(t, 2,
		testkit.One[int](p.db,
			`select count(*) from audit_entries where org_id = $1 and action = 'api_key.refused'`,
			north.id))
}

// A change in this program's tables takes effect at the next request.
func TestChangesOfItsOrganisationsTakeEffectAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t)
	north := newSchool(p.db, "north", "gold")
	_, token := p.create(north)
	statistics := "forks/" + north.fork + "/stats" + period
	_, body := p.call(token, statistics)
	require.Contains(t, body, `"reportingMode":"pseudonymous"`)
	p.db.Exec(`update tenants set named = true`)
	_, body = p.call(token, statistics)
	require.Contains(t, body, `"playerLabel":"Learner 1"`)

	_, _ = p.call(token, "forks")
	p.db.Exec(`update forks set title = 'Renamed'`)
	_, body = p.call(token, "forks")
	require.Contains(t, body, `"title":"Renamed"`)

	p.db.Exec(`update tenants set tier = 'silver'`)
	status, _ := p.call(token, "forks")
	require.Equal(t, http.StatusUnauthorized, status)
}

func TestTheScreensOfKeysServeItsOwnPeople(t *testing.T) {
	t.Parallel()
	p := start(t)
	north := newSchool(p.db, "north", "gold")
	silver := newSchool(p.db, "silver", "silver")
	keys := "/o/north/settings/api-keys"
	status, token := p.create(north)
	require.Equal(t, http.StatusOK, status)
	key, ok := apikeys.ParseToken(token)
	require.True(t, ok)
	require.Equal(t, "north",
		testkit.One[string](p.db,
			`select actor_name from audit_entries where action = 'api_key.created'`))

	for _, c := range []struct {
		path, login string
		status      int
	}{
		{keys, "north", http.StatusOK}, {keys + "/new", "north", http.StatusOK},
		{keys + "/" + key.ID + "/revoke", "north", http.StatusOK},
		{keys + "/" + key.ID + "/replace", "north", http.StatusOK},
		{"/o/north/settings/organisation/reporting-mode", "north", http.StatusOK},
		{"/o/north/reports", "north", http.StatusOK},
		{"/o/north/reports/" + north.fork, "north", http.StatusOK},
		{"/o/north/settings/audit-log", "north", http.StatusOK},
		{"/o/north/settings/organisation", "north", http.StatusOK},
		{keys, "north-teacher", http.StatusForbidden}, {keys, "silver", http.StatusNotFound},
		{keys, "nobody", http.StatusSeeOther},
		{"/static/dg.css", "", http.StatusOK}, {"/sign-in", "north", http.StatusNotFound},
		{"/account", "north", http.StatusNotFound},
	} {
		status, body := p.send(http.MethodGet, c.path, nil, login, c.login)
		require.Equal(t, c.status, status, "%s as %q: %.300s", c.path, c.login, body)
		require.NotContains(t, body, `type="password"`,
			"its Authenticator is no ui.Reauthenticator")
	}
	status, _ = p.create(silver)
	require.Equal(t, http.StatusForbidden, status, "its tier has no API")

	status, _ = p.send(http.MethodPost, keys+"/"+key.ID+"/revoke", url.Values{}, login, "north")
	require.Equal(t, http.StatusSeeOther, status)
	status, _ = p.call(token, "forks")
	require.Equal(t, http.StatusUnauthorized, status)
}

// A plain fiber.App ignores case, trailing slashes and smuggled requests. The API does not: a request
// without a key reaches nothing, and the program's own routes are as they were.
func TestPathsOfTheAPIAreMatchedExactly(t *testing.T) {
	t.Parallel()
	p := start(t)
	north := newSchool(p.db, "north", "gold")
	_, token := p.create(north)
	for path, want := range map[string]int{
		"/api/v1/forks":               http.StatusUnauthorized,
		"/API/v1/forks":               http.StatusNotFound,
		"/api/V1/forks":               http.StatusNotFound,
		"//api/v1/forks":              http.StatusNotFound,
		"/api/v1/forks/":              http.StatusUnauthorized,
		"/api/v1/%2e%2e/v1/forks":     http.StatusUnauthorized,
		"/%61pi/v1/forks":             http.StatusNotFound,
		"/api/v1/forks/" + north.fork: http.StatusUnauthorized,
		"/lessons/7":                  http.StatusOK,
		"/crash":                      http.StatusTeapot,
		"/nowhere":                    http.StatusNotFound,
	} {
		status, body := p.send(http.MethodGet, path, nil)
		require.Equal(t, want, status, "%s: %s", path, body)
		require.NotContains(t, body, north.fork, path)
	}
	for path, want := range map[string]int{
		"/api/v1/forks":  http.StatusOK,
		"/api/v1/forks/": http.StatusNotFound,
		"/API/v1/forks":  http.StatusForbidden,
		"/lessons/7":     http.StatusForbidden,
	} {
		status, body := p.send(http.MethodGet, path, nil, "Authorization", "Bearer "+token)
		require.Equal(t, want, status, "%s: %s", path, body)
	}
	status, _ := p.send(http.MethodPost, "/api/v1/forks", nil, "Authorization", "Bearer "+token)
	require.Equal(t, http.StatusMethodNotAllowed, status)
}

// A plain fiber.App executes requests that are hidden in the framing of another. Behind the API's
// guard none of them is: each kind of payload gets one answer, and the connection closes.
func TestSmuggledRequestsAreNotExecuted(t *testing.T) {
	t.Parallel()
	p := start(t)
	north := newSchool(p.db, "north", "gold")
	_, token := p.create(north)
	key := "Authorization: Bearer " + token + "\r\n"
	inner := "GET /api/v1/forks HTTP/1.1\r\nHost: x\r\n" + key + "\r\n"
	whole := "0\r\n\r\n" + inner
	length := fmt.Sprintf("Content-Length: %d\r\n", len(whole))
	const chunked = "Transfer-Encoding: chunked\r\n"
	for _, method := range []string{"GET", "POST", "HEAD"} {
		for name, rest := range map[string]string{
			"CL.TE":        length + chunked + "\r\n" + whole,
			"TE.CL":        "Content-Length: 4\r\n" + chunked + "\r\n" + whole,
			"TE.TE":        "Transfer-Encoding: x\r\n" + chunked + "\r\n" + whole,
			"identity":     "Transfer-Encoding: identity\r\n" + length + "\r\n" + whole,
			"blank":        "Transfer-Encoding : chunked\r\n\r\n" + whole,
			"tab":          "Transfer-Encoding:\tchunked\r\n\r\n" + whole,
			"folded":       "X: y\r\n Transfer-Encoding: chunked\r\n\r\n" + whole,
			"LF":           "X: y\nTransfer-Encoding: chunked\r\n\r\n" + whole,
			"two lengths":  "Content-Length: 0\r\n" + length + "\r\n" + whole,
			"list":         "Content-Length: 0, 44\r\n\r\n" + whole,
			"negative":     "Content-Length: -1\r\n\r\n" + whole,
			"body of none": "Content-Length: 5\r\n\r\n" + whole,
		} {
			if method == "POST" && name == "body of none" {
				continue // it may have one: what follows is not hidden
			}
			conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
			require.NoError(t, err)
			require.NoError(t, conn.SetDeadline(time.Now().Add(time.Second)))
			_, err = io.WriteString(conn, method+" /api/v1/forks HTTP/1.1\r\nHost: x\r\n"+key+rest)
			require.NoError(t, err)
			answers, _ := io.ReadAll(conn)
			_ = conn.Close()
			require.NotContains(t, string(answers), north.fork, "%s %s", method, name)
			require.LessOrEqual(t, strings.Count(string(answers), "HTTP/1.1 "), 1, "%s %s", method, name)
		}
	}
}
