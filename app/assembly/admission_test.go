package assembly_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
)

// forks lists the forks of the key's organisation and returns the status.
func (w *world) forks(token apikeys.Token) int {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+"/api/v1/forks",
		http.NoBody)
	require.NoError(w.t, err)
	request.Header.Set("Authorization", "Bearer "+token.String())
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer response.Body.Close()
	return response.StatusCode
}

// A flood of sign-ins to a locked account, from one address, leaves connections for the
// authentication of API keys and places for other networks. Every attempt that reaches the database
// waits there for a row that the test holds.
func TestFloodOfSignInsDelaysNeitherAPINorOthers(t *testing.T) {
	w := start(t)
	acme := w.organisation("acme")
	ann := w.person("ann@acme.example", acme)
	w.person("bob@acme.example", acme)
	_, token, err := w.p.Keys.Create(t.Context(), apikeys.Actor{
		Person: apikeys.Person{ID: ann, Name: "Ann"},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: acme,
			Grants:         authz.MemberGrants("owner", false),
		},
	}, apikeys.NewKey{
		Name:   "Warehouse",
		Scopes: []apikeys.Scope{apikeys.ForksRead},
	}, audit.Request{})
	require.NoError(t, err)
	w.exec(
		`insert into password_guesses (email_hash, wrong, ends_at)
			values (sha256('account:ann@acme.example'), 10, now() + interval '5 min')`,
	)

	tx, err := w.Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(),
		`insert into password_guesses (email_hash, wrong, ends_at)
			values (sha256('sign_in.failed:ann@acme.example'), 1, now() + interval '5 min')`)
	require.NoError(t, err)
	var flood sync.WaitGroup
	for range 200 {
		flood.Go(func() {
			b := w.browser()
			b.address = "198.51.100.1"
			status := b.signIn("ann@acme.example", wrongPassword)
			if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
				t.Errorf("a sign-in in the flood was answered %d", status)
			}
		})
	}
	gate := w.p.Pools.Auth.Pool
	require.Eventually(t, func() bool {
		return gate.Stat().AcquiredConns() >= 2
	}, 20*time.Second, time.Millisecond)
	var held int32
	var slowest time.Duration
	for range 20 {
		begun := time.Now()
		require.Equal(t, http.StatusOK, w.forks(token))
		held = max(held, gate.Stat().AcquiredConns())
		slowest = max(slowest, time.Since(begun))
	}
	b := w.browser()
	b.address = "198.51.100.2"
	require.Equal(t, http.StatusSeeOther, b.signIn("bob@acme.example", password))
	t.Logf("connections held: %d, slowest answer of the API: %s", held, slowest)
	require.LessOrEqual(t, held, int32(4), "of 11 connections two are the flood's")
	require.Less(t, slowest, time.Second)
	_ = tx.Rollback(t.Context()) // PostgreSQL has ended it where the test was slow
	flood.Wait()
}
