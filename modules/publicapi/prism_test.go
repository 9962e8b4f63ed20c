package publicapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// prism is a second judge of the suite's exchanges, beside kin-openapi: Stoplight's validating
// proxy. `make contract` starts it at DG_PRISM, in front of DG_PRISM_UPSTREAM. There the suite
// listens, and repeats the answer that the program gave: each program has an address of its own,
// and no test has to bear with a proxy in between.
type prism struct {
	url     string
	mu      sync.Mutex
	answers []recorded
}

type recorded struct {
	*http.Response
	body []byte
}

// startedPrism returns the judge of this process, or nil.
var startedPrism = sync.OnceValue(func() *prism {
	url := os.Getenv("DG_PRISM")
	if url == "" {
		return nil
	}
	ln, err := net.Listen("tcp", os.Getenv("DG_PRISM_UPSTREAM"))
	if err != nil {
		panic(err)
	}
	p := &prism{url: url}
	go func() { _ = http.Serve(ln, p) }()
	return p
})

// ServeHTTP implements http.Handler: it repeats an answer.
func (p *prism) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.Header.Get("X-Exchange"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	p.mu.Lock()
	answer := p.answers[n]
	p.mu.Unlock()
	for name, values := range answer.Header {
		if name != "Transfer-Encoding" && name != "Connection" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(answer.body)
}

// check sends an exchange through prism. What it finds in an answer is wrong, what it finds in a
// request only if the program has accepted it.
func (p *prism) check(t *testing.T, r *http.Request, answer *http.Response, body []byte) {
	p.mu.Lock()
	n := len(p.answers)
	p.answers = append(p.answers, recorded{answer, body})
	p.mu.Unlock()
	again, err := http.NewRequestWithContext(t.Context(), r.Method, p.url+r.URL.RequestURI(),
		http.NoBody)
	if !assert.NoError(t, err) {
		return
	}
	again.Header = r.Header.Clone()
	again.Header.Set("X-Exchange", strconv.Itoa(n))
	judged, err := http.DefaultClient.Do(again)
	if !assert.NoError(t, err) {
		return
	}
	defer judged.Body.Close()
	_, _ = io.Copy(io.Discard, judged.Body)
	assert.Equal(t, answer.StatusCode, judged.StatusCode, "prism could not judge %s", r.URL)
	var violations []struct {
		Location []string
		Message  string
	}
	found := judged.Header.Get("Sl-Violations")
	if found != "" {
		assert.NoError(t, json.NewDecoder(bytes.NewReader([]byte(found))).Decode(&violations))
	}
	for _, v := range violations {
		// of the request itself it finds that "BEARER" is not "Bearer"
		accepted := answer.StatusCode < 400 && len(v.Location) > 1
		if len(v.Location) == 0 || v.Location[0] != "request" || accepted {
			t.Errorf("prism: GET %s, answered %d: %v %s", r.URL, answer.StatusCode, v.Location,
				v.Message)
		}
	}
}
