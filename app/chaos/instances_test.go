package chaos

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/exports"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/logbook"
)

// fleet is three instances behind haproxy, and organisations with an export each.
type fleet struct {
	*testing.T
	db        *fixtures.Database
	base      string // haproxy's
	addresses []string
	instances []*apptest.Child
	tenants   []*apptest.Tenant
	plays     int // of each tenant
	customer  *caller
	o         *chaosRun
	numbered  atomic.Int64
	stopProxy func()
}

func startFleet(t *testing.T) *fleet {
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("SKIPPED, NOTHING WAS TESTED: there is no haproxy")
	}
	f := &fleet{
		T:     t,
		db:    fixtures.New(t),
		plays: apptest.ChaosSize(25_000, 30_000, 100_000),
	}
	f.base = "http://" + apptest.FreeAddress(t)
	for range apptest.ChaosSize(2, 16, 16) {
		f.tenants = append(f.tenants, apptest.NewTenant(f.db, 40, f.plays))
	}
	for i := range 3 {
		f.addresses = append(f.addresses, apptest.FreeAddress(t))
		f.instances = append(f.instances, f.start(i))
	}
	f.startProxy(program)
	f.customer = newCaller(t, f.db, f.base)
	f.o = beginChaos(t, apptest.DoorTo(t, f.db.DirectURL), f.instances...)
	f.customer.o = f.o
	return f
}

// start starts an instance, at the address that it had before. It stops with the delay that haproxy
// needs.
func (f *fleet) start(i int) *apptest.Child {
	c := apptest.LaunchWith(f.T, func(cmd *exec.Cmd) {
		cmd.Env = apptest.CleanEnvironment()
	}, "serve", "--addr", f.addresses[i], "--ops-addr", "127.0.0.1:0", "--base-url", f.base,
		"--trusted-proxies", "127.0.0.1/32",
		"--database-url", f.db.URL, "--migrate-database-url", f.db.OwnerURL).UntilServing()
	c.URL = "http://" + f.addresses[i] // it says the public one
	for _, path := range []string{"/sign-in", f.tenants[0].Stats(30)} {
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
	var log logbook.Book
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

// exports asks for that many at once, by haproxy, and reads them when quick is closed. It returns
// when each is answered; results has one line for each: how it ended.
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
			<-quick
			outcomes.Add(f.outcome(response))
		})
	}
	answered.Wait()
	return func() *apptest.Counter {
		ended.Wait()
		return outcomes
	}
}

// outcome reads an export to its end.
func (f *fleet) outcome(response *http.Response) string {
	defer response.Body.Close()
	if response.StatusCode == http.StatusServiceUnavailable &&
		response.Header.Get("Retry-After") != "" {
		return "refused"
	} else if response.StatusCode != http.StatusOK {
		return response.Status
	}
	body, err := io.ReadAll(response.Body)
	switch lines := bytes.Count(body, []byte("\n")); {
	case err != nil:
		return "broken off visibly"
	case lines != f.plays+1:
		return fmt.Sprintf("SHORT, AND LOOKS WHOLE: %d lines", lines)
	}
	return "whole"
}

// /docs/security, Stops and crashes: instances that are stopped, killed and restarted behind
// haproxy, under exports and a customer's calls. A stop loses no request, a kill those that the
// instance was answering, and no file is short and looks whole.
func TestInstancesBehindHaproxy(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	for range apptest.ChaosSize(1, 5, 20) {
		f.kills()
	}
	for range apptest.ChaosSize(1, 3, 10) {
		f.stops()
	}
	f.stopProxy() // it asks the instances whether they are ready
	f.o.ends(t)
}

// kills kills an instance: its exports end visibly, and it gives its places back.
func (f *fleet) kills() {
	f.customer.during(f.T, func() {
		quick := make(chan struct{})
		results := f.exports(apptest.ChaosSize(8, 50, 50), quick)
		f.instances[1].Kill()
		close(quick)
		f.onlyEndsIn(results(), "whole", "refused", "broken off visibly")
		f.restart(1)
		for range exports.MaxAtOnceOfActor {
			response := apptest.Ask(f.T, apptest.SmallWindowClient(),
				f.instances[1].URL+f.tenants[0].CSV(), f.tenants[0].Keys[3])
			require.Equal(f, http.StatusOK, response.StatusCode)
			defer response.Body.Close()
		}
	})
}

// stops stops and starts one instance after the other: no export breaks off, and no call is lost.
// The sizes of every run have to bear a loaded machine: a refusal of an instance, and a timeout.
func (f *fleet) stops() {
	quick := make(chan struct{})
	close(quick)
	answers := f.customer.during(f.T, func() {
		for i, c := range f.instances {
			results := f.exports(apptest.ChaosSize(4, 12, 12), quick)
			c.Stop()
			f.onlyEndsIn(results(), "whole", "refused")
			f.restart(i)
		}
	})
	allowed := []string{string(gotRight)}
	if !apptest.Chaos {
		allowed = append(allowed, string(got503), string(gotTimeout))
	}
	require.Empty(f, answers.Besides(allowed...), "%v", &f.customer.failed)
}

func (f *fleet) onlyEndsIn(results *apptest.Counter, allowed ...string) {
	f.Logf("exports: %v", results)
	require.Empty(f, results.Besides(allowed...))
}
