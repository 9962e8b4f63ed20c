package publicapi_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/routers"
	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// openapi.yaml, Figures, days and times: a day is a UTC day in every time zone of the process.
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("Asia/Kathmandu", 5*60*60+45*60)
	m.Run()
}

// world is a database and a listening instance of the whole program.
type world struct {
	*testkit.World
	app    *fiber.App
	url    string
	http   http.RoundTripper
	router routers.Router
}

func start(t *testing.T) *world {
	t.Parallel()
	return startWithoutParallel(t)
}

// startWithoutParallel is start for a test that has already called t.Parallel.
func startWithoutParallel(t *testing.T) *world {
	served := apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &world{
		World: served.World, app: served.Server.App(), url: served.BaseURL, http: transport,
		router: newRouter(t, served.BaseURL),
	}
}

// send sends a request and checks the response. headers are pairs of name and value.
func (w *world) send(t *testing.T, method, path, authorization string, headers ...string) testkit.Page {
	r := tb.Must(http.NewRequestWithContext(t.Context(), method, w.url+path, http.NoBody))(t)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response := tb.Must(w.http.RoundTrip(r))(t)
	defer response.Body.Close()
	body := tb.Must(io.ReadAll(response.Body))(t)
	page := testkit.Page{Response: response, Body: string(body)}
	w.checkResponse(t, page)
	return page
}

func decodeJSON[T any](t *testing.T, page testkit.Page) (value T) {
	require.NoError(t, json.Unmarshal([]byte(page.Is(t, http.StatusOK).Body), &value))
	return value
}

func (w *world) get(t *testing.T, path string, key testkit.Key, headers ...string) testkit.Page {
	return w.send(t, http.MethodGet, path, "Bearer "+key.Token(), headers...)
}

func (w *world) entries(t *testing.T, organisationID string) []audit.Entry {
	return tb.Must(audit.New(w.DB).List(t.Context(), organisationID, audit.Page{Limit: 1000}))(t)
}

// sendRaw sends the exact bytes of a request, which a client library would change, and reads the response.
func (w *world) sendRaw(t *testing.T, request string) testkit.Page {
	conn := tb.Must((&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://")))(t)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	// the write may fail, because a server may refuse a request without reading all of it
	_, _ = conn.Write([]byte(request))
	method, _, _ := strings.Cut(request, " ")
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, &http.Request{Method: method})
	require.NoError(t, err, "%.200q", request)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err, "%.200q", request)
	if response.Close {
		require.ErrorIs(t, tb.ErrorOf(reader.ReadByte()), io.EOF, "data after an answer that closes")
	}
	return testkit.Page{Response: response, Body: string(body)}
}

func requestText(method, target string, headers ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: dg.example\r\n" + strings.Join(append(headers, "", ""), "\r\n")
}
