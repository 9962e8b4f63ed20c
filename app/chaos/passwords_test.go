package chaos

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
)

// /docs/security, Fair shares: sixty sign-ins, and twelve forms with a made-up session, from six
// networks delay neither keys that the instance has not seen nor people whose password is accepted.
func TestQueueForPasswordsDelaysNoKey(t *testing.T) {
	t.Parallel()
	rounds := 8
	if apptest.Chaos {
		rounds = 100
	}
	db := testkit.New(t)
	w := apptest.ServeInProcess(t, db, assembly.Settings{})
	acme := db.Organisation(testkit.Organisation{})
	db.Fork(testkit.Fork{OrganisationID: acme.ID})
	ask := func() (took []time.Duration) {
		for i := range rounds {
			owner := db.Member(acme.ID, "owner")
			b := w.Browser(fmt.Sprintf("198.51.100.%d", i))
			key := db.Key(acme.ID)
			began := time.Now()
			response := apptest.Ask(t, apptest.NewClient(), w.Base+"/api/v1/forks", key.Token())
			apptest.ReadAll(t, response)
			require.Equal(t, http.StatusOK, response.StatusCode)
			took = append(took, time.Since(began))
			b.Post("/sign-in", testkit.Form("email", owner.Email, "password", testkit.Password)).Is(t, 303)
			for _, page := range []string{"/account", "/o/" + acme.Slug + "/settings/api-keys"} {
				began := time.Now()
				b.Get(page).Is(t, 200)
				took = append(took, time.Since(began))
			}
			db.Exec(`delete from api_keys where id = $1`, key.ID)
		}
		slices.Sort(took)
		return took
	}
	quiet := ask()
	defer postPasswords(t, w)()
	loaded := ask()
	percentile := func(of []time.Duration) time.Duration { return of[len(of)*99/100] }
	t.Logf("99th percentile: quiet %s, loaded %s", percentile(quiet), percentile(loaded))
	if apptest.Chaos {
		require.LessOrEqual(t, percentile(loaded), max(50*time.Millisecond, 3*percentile(quiet)))
	}
}

// postPasswords sends wrong passwords and made-up sessions from six networks, until stop is called.
func postPasswords(t *testing.T, w *apptest.World) (stop func()) {
	var stopped atomic.Bool
	var all sync.WaitGroup
	var sent atomic.Int64
	for i := range 72 {
		form := url.Values{"email": {fmt.Sprintf("stranger%d@example.org", i)}, "password": {"wrong horse battery"}}
		all.Go(func() {
			for !stopped.Load() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Base+"/sign-in",
					strings.NewReader(form.Encode()))
				if err != nil {
					return
				}
				request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				request.Header.Set("Sec-Fetch-Site", "same-origin")
				request.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i%6))
				if i >= 60 {
					request.AddCookie(&http.Cookie{Name: "__Host-dg", Value: fmt.Sprintf("made-up-%d", i)})
				}
				if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
					_ = response.Body.Close()
					sent.Add(1)
				}
			}
		})
	}
	apptest.Until(t, 20*time.Second, "sign-ins to wait", func() bool {
		return w.Value("dg_work_waiting", "sign_ins") >= 6
	})
	return func() {
		stopped.Store(true)
		all.Wait()
		t.Logf("%d forms were answered", sent.Load())
	}
}
