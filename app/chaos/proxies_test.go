package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// Two thousand clients each that send headers or bodies slowly, or read slowly, keep no other
// customer of the same proxy from an answer.
func TestChaosSlowClientsOfAProxy(t *testing.T) {
	if !apptest.Chaos {
		t.Skip("takes 15 seconds for each proxy: DG_CHAOS=1 runs it")
	}
	for name := range apptest.ProxyArguments {
		t.Run(name, func(t *testing.T) {
			db := fixtures.New(t)
			address := apptest.FreeAddress(t)
			apptest.Launch(t, "serve", "--addr", address, "--ops-addr", "127.0.0.1:0",
				"--database-url", db.URL, "--migrate-database-url", db.OwnerURL,
				"--trusted-proxies", "127.0.0.1/32").UntilServing()
			proxy := apptest.StartProxy(t, name, address, apptest.WithoutTLS()...)
			if proxy == "" {
				t.Skipf("SKIPPED, NOTHING WAS TESTED: there is no %s", name)
			}
			base := "http://" + proxy
			h := newHealthy(t, db, base, func(email string) string {
				return apptest.CookiesOf(t, base, email, fixtures.Password)
			})
			under := h.during(t, func() {
				leave := aside(t, "hostile", hostileOrder{
					Target:  base,
					Kind:    "all slow ones",
					Lasting: 10 * time.Second,
				}, func(line string) { t.Log(strings.TrimSpace(line)) })
				time.Sleep(10 * time.Second)
				leave()
			})
			require.Empty(t, under.wrong)
			require.Zero(t, under.failures(), under.first)
		})
	}
}
