package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// hostility is one kind of hostile clients.
type hostility struct {
	name  string
	begin func(*crowd)
}

// hostilities are all kinds, in every run those that use up connections. refused gets the answers
// to keys that are none.
func hostilities(
	lasting time.Duration, ids []string, refused func(requestID string, known bool, status int),
) (all []hostility) {
	if apptest.Chaos {
		all = []hostility{
			{"slow headers", func(c *crowd) { c.hold(2000, 0, slowHeaders) }},
			{"slow bodies", func(c *crowd) { c.hold(2000, 0, slowBodies) }},
			{"slow readers", func(c *crowd) { c.hold(2000, 4096, slowReaders) }},
			{
				"more slow readers than connections", func(c *crowd) {
					c.hold(4500, 4096, slowReaders)
				},
			},
			{"garbage keys from 200 addresses", func(c *crowd) {
				c.many = 200
				c.garbage(5000, ids, refused)
			}},
		}
	}
	each := apptest.ChaosSize(150, 2000, 2000) // together more than connections
	return append(all,
		hostility{"all slow ones", func(c *crowd) {
			c.hold(each, 0, slowHeaders)
			c.hold(each, 0, slowBodies)
			c.hold(each, 4096, slowReaders)
		}},
		hostility{
			"connections", func(c *crowd) {
				c.idle(apptest.ChaosSize(600, 20_000, 20_000), lasting*9/10)
			},
		},
		hostility{
			"garbage keys", func(c *crowd) {
				c.garbage(apptest.ChaosSize(500, 5000, 5000), ids, refused)
			},
		},
	)
}

// Beside slow and hostile clients, from eight addresses or 200 and with more connections than the
// server may have files, every call of a customer is answered right, and the private listener
// answers too.
func TestChaosHostileClients(t *testing.T) {
	if !apptest.Chaos { // its table is of a machine without other tests
		t.Parallel()
	}
	db := fixtures.New(t)
	dg := apptest.LaunchWith(t, apptest.WithFiles(strconv.Itoa(apptest.ChaosSize(512, 4096, 4096))),
		"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
		"--database-url", db.URL, "--migrate-database-url", db.OwnerURL).UntilServing()
	h := newHealthy(t, db, dg.URL, func(email string) string {
		return apptest.SessionOf(t, dg.URL, email)
	})
	o := beginChaos(t, apptest.DoorTo(t, db.URL), dg)
	attacked := db.Organisation(fixtures.Organisation{}).ID
	lasting := time.Duration(apptest.ChaosSize(1, 10, 30)) * time.Second

	quiet := h.during(t, func() { time.Sleep(lasting) })
	ids := []string{db.Key(attacked).ID, db.Key(attacked).ID}
	var did string // by the last kind
	said := func(line string) {
		if answer := (garbageAnswer{}); answer.read(line) {
			o.sawGarbage(t, answer)
		} else {
			did = line
		}
	}
	for _, kind := range hostilities(lasting, ids, nil) {
		t.Run(kind.name, func(t *testing.T) {
			did = ""
			under := h.during(t, func() {
				leave := aside(t, "hostile", hostileOrder{dg.URL, kind.name, ids, lasting}, said)
				time.Sleep(lasting / 2)
				require.Contains(t, operations(t, dg, "/metrics"), "dg_http_connections_open")
				time.Sleep(lasting / 2)
				leave()
			})
			t.Logf("%s; %d MB at most", did, dg.Memory("VmHWM")>>20)
			under.isSpared(t, quiet)
		})
	}
	require.NotContains(t, dg.Log.String(), "too many open files")
	o.ends(t)
}

// hostileOrder is what hostile clients are to do, and where.
type hostileOrder struct {
	Target, Kind string
	IDs          []string
	Lasting      time.Duration
}

// hostileAside runs one kind of hostile clients.
func hostileAside(ctx context.Context, order []byte, say func(format string, args ...any)) error {
	var o hostileOrder
	if err := json.Unmarshal(order, &o); err != nil {
		return err
	}
	var mu sync.Mutex
	answers := 0
	refused := func(requestID string, known bool, status int) {
		mu.Lock()
		defer mu.Unlock()
		answers++
		say("%s", garbageAnswer{requestID, known, status})
	}
	for _, kind := range hostilities(o.Lasting, o.IDs, refused) {
		if kind.name == o.Kind {
			c := attack(ctx, o.Target, kind.begin)
			say("%d connections opened, %d attempts in vain, %d keys refused", c.opened.Load(),
				c.refused.Load(), answers)
		}
	}
	return nil
}

// garbageAnswer is the answer to a key that is none; known says whether it had the id of one.
type garbageAnswer struct {
	requestID string
	known     bool
	status    int
}

func (a garbageAnswer) String() string {
	return fmt.Sprintf("garbage %s %t %d", a.requestID, a.known, a.status)
}

func (a *garbageAnswer) read(line string) bool {
	_, err := fmt.Sscanf(line, "garbage %s %t %d", &a.requestID, &a.known, &a.status)
	return err == nil
}

// sawGarbage notes what an answer to a key that is none has to leave in the audit log.
func (o *chaosRun) sawGarbage(t *testing.T, a garbageAnswer) {
	t.Helper()
	switch {
	case a.status == http.StatusUnauthorized && a.known:
		o.saw(a.requestID, "api_key.refused")
	case a.status == http.StatusTooManyRequests && a.known:
		o.counted.Add(1)
	case a.status != http.StatusUnauthorized && a.status != http.StatusServiceUnavailable:
		t.Errorf("a key that is none was answered %d", a.status)
	}
}
