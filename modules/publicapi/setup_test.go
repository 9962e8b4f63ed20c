package publicapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
)

// rules.md, Formats: a day is a UTC day in every time zone of the process. Package postgres proves
// that of sessions.
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("Asia/Kathmandu", 5*60*60+45*60)
	m.Run()
}

// world is a database with an instance of the whole program that listens.
type world struct {
	*testkit.World
	app  *fiber.App
	url  string
	http *http.Client // with contractCheck
}

// start starts a world with the organisations of the histories.
func start(t *testing.T, histories ...*history) *world {
	t.Helper()
	w := &world{World: testkit.New(t)}
	for _, h := range histories {
		w.load(h)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.url = "http://" + ln.Addr().String()
	pools := assembly.Pools{Requests: w.DB, Snapshots: w.DB, Recheck: w.DB}
	program, err := assembly.NewWithPools(pools, assembly.Settings{
		BaseURL: w.url, Logger: slog.New(slog.DiscardHandler), Grace: time.Second,
	})
	require.NoError(t, err)
	w.app = program.Server.App()

	var served sync.WaitGroup
	served.Go(func() { _ = program.Server.Serve(ln) })
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = program.Server.Shutdown(context.Background())
		served.Wait()
	})
	w.http = &http.Client{Transport: newContractCheck(t, w.url, transport)}
	return w
}

// key stores a key with the scopes, both by default.
func (w *world) key(t *testing.T, organisationID string, scopes ...string) apikeys.Token {
	t.Helper()
	token, ok := apikeys.ParseToken(w.Key(organisationID, scopes...).Token())
	require.True(t, ok)
	w.Exec(`insert into api_key_windows (key_id, refused) values ($1, false), ($1, true)`, token.ID)
	return token
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// send sends a request. headers are pairs of name and value.
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

// entries returns an organisation's log, newest first.
func (w *world) entries(t *testing.T, organisationID string) []audit.Entry {
	t.Helper()
	entries, err := audit.New(w.DB).List(t.Context(), organisationID, audit.Page{Limit: 1000})
	require.NoError(t, err)
	return entries
}
