package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// hostility is one kind of hostile clients.
type hostility struct {
	name  string
	begin func(*crowd)
}

// hostilities are all kinds, in every run those that use up connections. refused gets the answers to keys that are none.
func hostilities(lasting time.Duration, ids []string, refused func(requestID string, known bool, status int)) (all []hostility) {
	if chaos {
		all = []hostility{
			{"slow headers", func(c *crowd) { c.hold(2000, 0, slowHeaders) }},
			{"slow bodies", func(c *crowd) { c.hold(2000, 0, slowBodies) }},
			{"slow readers", func(c *crowd) { c.hold(2000, 4096, slowReaders) }},
			{"more slow readers than connections", func(c *crowd) { c.hold(4500, 4096, slowReaders) }},
		}
	}
	each := chaosSize(150, 1350, 1350) // together more than connections
	return append(all,
		hostility{"all slow ones", func(c *crowd) {
			c.hold(each, 0, slowHeaders)
			c.hold(each, 0, slowBodies)
			c.hold(each, 4096, slowReaders)
		}},
		hostility{"connections", func(c *crowd) { c.idle(chaosSize(600, 20_000, 20_000), lasting*9/10) }},
		hostility{"garbage keys", func(c *crowd) { c.garbage(chaosSize(500, 5000, 5000), ids, refused) }},
	)
}

// Beside slow and hostile clients, from eight addresses and with more connections than the server may have files, a customer who does
// nothing wrong is answered as in quiet, and the private listener answers too.
func TestChaosHostileClients(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	dg := launchWith(t, withFiles(strconv.Itoa(chaosSize(512, 4096, 4096))), "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", db.URL, "--migrate-database-url", db.OwnerURL).untilServing()
	w := &crowded{db: db, child: dg}
	h := newHealthy(t, db, dg.url, func(email string) string { return w.signIn(t, email) })
	o := beginOrdeal(t, doorTo(t, db.URL), dg)
	attacked := db.Organisation(fixtures.Organisation{}).ID
	lasting := time.Duration(chaosSize(1, 10, 60)) * time.Second

	quiet := h.during(t, func() { time.Sleep(lasting) })
	for _, kind := range hostilities(lasting, []string{db.Key(attacked).ID, db.Key(attacked).ID}, o.sawGarbage(t)) {
		t.Run(kind.name, func(t *testing.T) {
			var c *crowd
			under := h.during(t, func() {
				c = attack(t, dg.url, lasting, func(c *crowd) {
					kind.begin(c)
					pause(c.ctx, lasting/2)
					require.Contains(t, dg.operations(t, "/metrics"), "dg_http_connections_open")
				})
			})
			t.Logf("%d connections opened, %d attempts in vain; %d MB at most", c.opened.Load(), c.refused.Load(), dg.memory("VmHWM")>>20)
			under.compare(t, quiet)
		})
	}
	require.NotContains(t, dg.log.String(), "too many open files")
	o.ends(t)
}

// sawGarbage notes what the answers to keys that are none have to leave in the audit log.
func (o *ordeal) sawGarbage(t *testing.T) func(requestID string, known bool, status int) {
	return func(requestID string, known bool, status int) {
		switch {
		case status == http.StatusUnauthorized && known:
			o.saw(requestID, "api_key.refused")
		case status == http.StatusTooManyRequests && known:
			o.counted.Add(1)
		case status != http.StatusUnauthorized && status != http.StatusServiceUnavailable:
			t.Errorf("a key that is none was answered %d", status)
		}
	}
}
