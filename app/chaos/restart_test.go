package chaos

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/exports"
	"dg/platform/testkit/fixtures"
)

// fleet is three instances behind haproxy, and organisations with an export each.
type fleet struct {
	*testing.T
	whole     *testing.T // the test, in which instances live
	db        *fixtures.Database
	door      *apptest.Door
	base      string // haproxy's
	addresses []string
	instances []*apptest.Child
	tenants   []*apptest.Tenant
	plays     int // of each tenant
	healthy   *healthy
	o         *chaosRun
	numbered  atomic.Int64
	stopProxy func()
}

// on is f for a subtest.
func (f *fleet) on(t *testing.T) *fleet {
	f.T = t
	return f
}

func startFleet(t *testing.T) *fleet {
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("SKIPPED, NOTHING WAS TESTED: there is no haproxy")
	}
	f := &fleet{
		T:     t,
		whole: t,
		db:    fixtures.New(t),
		plays: apptest.ChaosSize(25_000, 30_000, 100_000),
	}
	f.door = apptest.DoorTo(t, f.db.DirectURL)
	f.base = "http://" + apptest.FreeAddress(t)
	for range apptest.ChaosSize(2, 16, 16) {
		f.tenants = append(f.tenants, apptest.NewTenant(f.db, 40, f.plays))
	}
	for i := range 3 {
		f.addresses = append(f.addresses, apptest.FreeAddress(t))
		f.instances = append(f.instances, f.start(i))
	}
	f.startProxy(program)
	f.healthy = newHealthy(t, f.db, f.base, func(email string) string {
		return apptest.CookiesOf(t, f.base, email, fixtures.Password)
	})
	f.o = beginChaos(t, f.door, f.instances...)
	return f
}

// start starts an instance, at the address that it had before. It stops with the delay that haproxy
// needs.
func (f *fleet) start(i int) *apptest.Child {
	c := apptest.LaunchWith(f.whole, func(cmd *exec.Cmd) {
		cmd.Env = apptest.CleanEnvironment()
	}, "serve", "--addr", f.addresses[i], "--ops-addr", "127.0.0.1:0", "--base-url", f.base,
		"--trusted-proxies", "127.0.0.1/32",
		"--database-url", f.db.URL, "--migrate-database-url", f.db.OwnerURL).UntilServing()
	c.URL = "http://" + f.addresses[i] // it says the public one
	for _, path := range []string{"/sign-in", f.tenants[0].CSV()} {
		apptest.ReadAll(f.T,
			apptest.Ask(f.T, apptest.NewClient(), c.URL+path, f.tenants[0].Keys[0]))
	}
	return c
}

// restart starts an instance that has ended.
func (f *fleet) restart(i int) {
	f.instances[i] = f.start(i)
	f.o.joins(f.T, f.instances[i])
}

// startProxy starts haproxy with the example of configs/deploy.
func (f *fleet) startProxy(program string) {
	example, err := os.ReadFile(apptest.InTree("configs", "deploy", "haproxy.cfg"))
	require.NoError(f, err)
	servers := ""
	for i, address := range f.addresses {
		servers += fmt.Sprintf("    server dg%d %s check\n", i, address)
	}
	config := filepath.Join(f.TempDir(), "haproxy.cfg")
	text := strings.NewReplacer("bind :443 ssl crt /etc/haproxy/dg.example.org.pem",
		"bind "+strings.TrimPrefix(f.base, "http://"),
		"    server dg 127.0.0.1:8080 check\n", servers).Replace(string(example))
	require.NoError(f, os.WriteFile(config, []byte(text), 0o600))
	var log apptest.Buffer
	proxy := exec.Command(program, "-db", "-f", config)
	proxy.Stdout = &log
	proxy.Stderr = &log
	require.NoError(f, proxy.Start())
	f.stopProxy = sync.OnceFunc(func() {
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
	})
	f.Cleanup(f.stopProxy)
	apptest.Until(f.T, 20*time.Second, "haproxy does not serve", func() bool {
		response, err := http.Get(f.base + "/readyz")
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
}

// exports asks for that many at once, by haproxy, and reads them slowly until quick is closed. It
// returns when each is answered; results has one line for each that was not refused: how it ended.
func (f *fleet) exports(n int, quick <-chan struct{}) (results func() *apptest.Counter) {
	var answered, ended sync.WaitGroup
	outcomes := &apptest.Counter{}
	for i := range n {
		answered.Add(1)
		ended.Go(func() {
			id := fmt.Sprintf("fleet-export-%d", f.numbered.Add(1))
			tenant := f.tenants[i%len(f.tenants)]
			response := apptest.Ask(f.T, apptest.SmallWindowClient(), f.base+tenant.CSV(),
				tenant.Keys[i/len(f.tenants)%4], "X-Request-Id", id)
			if response.StatusCode == http.StatusOK {
				f.o.saw(id, "export.started")
			}
			answered.Done()
			outcomes.Add(f.outcome(response, quick))
		})
	}
	answered.Wait()
	return func() *apptest.Counter {
		ended.Wait()
		return outcomes
	}
}

// outcome reads an export to its end.
func (f *fleet) outcome(response *http.Response, quick <-chan struct{}) string {
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		if response.StatusCode == http.StatusServiceUnavailable &&
			response.Header.Get("Retry-After") != "" {
			return "refused"
		}
		return response.Status
	}
	lines := 0
	err := error(nil)
	for body := bufio.NewReaderSize(response.Body, 4<<10); err == nil; lines++ {
		if lines%64 == 0 {
			select {
			case <-quick:
			case <-time.After(100 * time.Millisecond):
			}
		}
		_, err = body.ReadSlice('\n')
	}
	switch {
	case !errors.Is(err, io.EOF):
		return "broken off visibly"
	case lines != f.plays+2:
		return fmt.Sprintf("SHORT, AND LOOKS WHOLE: %d lines", lines-1)
	}
	return "whole"
}

// losesNone fails if a customer behind haproxy saw a call fail. The sizes of every run have to bear
// a loaded machine: a refusal of an instance, not of haproxy, and a client that gives up.
func (f *fleet) losesNone(h *healthyFigures) {
	require.Empty(f, h.wrong)
	require.Empty(f, slices.DeleteFunc(h.causes, func(failure string) bool {
		return !apptest.Chaos && (strings.Contains(failure, "Client.Timeout") ||
			strings.Contains(failure, "answered 503") &&
				!strings.Contains(failure, "No server is available"))
	}))
}

// Instances that are stopped, killed and restarted behind haproxy, under exports and a customer's
// calls: who stops one loses no request, a kill costs those that it was answering, and no file is
// short and looks whole.
func TestInstancesBehindHaproxy(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	t.Run("stopped", func(t *testing.T) { f.on(t).stopped() })
	t.Run("killed", func(t *testing.T) { f.on(t).killed() })
	t.Run("restarted one after the other", func(t *testing.T) { f.on(t).rolled() })
	f.stopProxy() // it asks the instances whether they are ready
	f.o.ends(t)
}

// stopped ends with half of its exports read quickly, which are whole, and the others slowly, which
// are broken off after the grace. In every run all are read quickly.
func (f *fleet) stopped() {
	quick := make(chan struct{})
	slow := make(chan struct{})
	f.losesNone(f.healthy.during(f.T, func() {
		all := []func() *apptest.Counter{f.exports(apptest.ChaosSize(8, 12, 12), quick)}
		if apptest.Chaos {
			all = append(all, f.exports(38, slow))
		}
		begun := time.Now()
		require.NoError(f, f.instances[0].Process.Signal(syscall.SIGTERM))
		close(quick)
		require.Zero(f, f.instances[0].Status(time.Minute), "%s", f.instances[0].Log.String())
		f.Logf("the instance ended %s after SIGTERM", time.Since(begun).Round(time.Millisecond))
		close(slow)
		for i, results := range all {
			f.Logf("exports: %v", results())
			f.onlyEndsIn(results(),
				[][]string{{"whole", "refused"}, {"whole", "refused", "broken off visibly"}}[i])
		}
		f.restart(0)
	}))
	f.ended(`details->>'outcome' in ('completed', 'server_stopped')`)
}

func (f *fleet) onlyEndsIn(results *apptest.Counter, allowed []string) {
	require.Empty(f, results.Besides(allowed...), "%s", f.reasons())
}

// reasons are how exports ended, of the audit log.
func (f *fleet) reasons() string {
	return apptest.Read[string](f.T, f.door,
		`select coalesce(string_agg(details::text, ' '), '') from audit_entries
			where action = 'export.finished' and details->>'outcome' <> 'completed'`)
}

// ended fails if an export that has started did not end like that.
func (f *fleet) ended(like string) {
	apptest.Until(f.T, 30*time.Second, "an export did not end like that", func() bool {
		return apptest.Read[bool](f.T, f.door,
			`select count(*) filter (where action = 'export.started') = count(*) filter (where action = 'export.finished' and `+
				like+`)
			from audit_entries where request_id ~ '^fleet-export'`)
	})
}

// killed is an instance whose exports end visibly, and which gives its places back.
func (f *fleet) killed() {
	broken := 0
	for range apptest.ChaosSize(1, 5, 20) {
		quick := make(chan struct{})
		h := f.healthy.during(f.T, func() {
			unfinished := -f.unfinished()
			results := f.exports(apptest.ChaosSize(8, 50, 50), quick)
			unfinished += f.unfinished()
			f.instances[1].Kill()
			close(quick)
			got := results()
			f.Logf("%d exports ran; %v", unfinished, got)
			broken += got.Of("broken off visibly")
			f.restart(1)
			f.onlyEndsIn(got, []string{"whole", "refused", "broken off visibly"})
			f.givesPlacesBack(f.instances[1])
		})
		require.Empty(f, h.wrong)
	}
	if apptest.Chaos { // a few may all be on their way, or on other instances
		require.Positive(f, broken)
	}
}

// unfinished counts the exports whose end is not in the audit log.
func (f *fleet) unfinished() int {
	return apptest.Read[int](f.T, f.door,
		`select count(*) filter (where action = 'export.started') - count(*) filter (where action = 'export.finished') from audit_entries`)
}

// givesPlacesBack: as many exports of one key as may run at once do.
func (f *fleet) givesPlacesBack(c *apptest.Child) {
	for range exports.MaxAtOnceOfActor {
		response := apptest.Ask(f.T, apptest.SmallWindowClient(), c.URL+f.tenants[0].CSV(),
			f.tenants[0].Keys[3])
		require.Equal(f, http.StatusOK, response.StatusCode)
		defer response.Body.Close()
	}
}

func (f *fleet) rolled() {
	quick := make(chan struct{})
	close(quick)
	f.losesNone(f.healthy.during(f.T, func() {
		for range apptest.ChaosSize(1, 3, 10) {
			for i, c := range f.instances {
				results := f.exports(apptest.ChaosSize(4, 12, 12), quick)
				c.Stop()
				f.onlyEndsIn(results(), []string{"whole", "refused"})
				f.restart(i)
			}
		}
	}))
}
