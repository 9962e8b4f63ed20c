package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// tally counts what clients got, by a word for each kind of answer.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (y *tally) add(kind string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.counts == nil {
		y.counts = map[string]int{}
	}
	y.counts[kind]++
}

func (y *tally) of(kind string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.counts[kind]
}

// String is such as map[200:17 503:2].
func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return fmt.Sprint(y.counts)
}

// fetchFrom asks as a client that keeps its connections. Status 0 is a transfer that failed or broke.
func fetchFrom(c *http.Client, url, token string) (status int, body []byte) {
	request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := c.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		return 0, body
	}
	return response.StatusCode, body
}

// keepingClient is one client with connections of its own.
func keepingClient(within time.Duration) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: within}
}
