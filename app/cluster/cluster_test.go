package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
	"dg/platform/testkit/cluster"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// clustered is a cluster that serves one organisation, and what its tests need to know of it.
type clustered struct {
	*cluster.Cluster
	db       *fixtures.Database
	slug     string // of the organisation
	fork     fixtures.Fork
	owner    fixtures.Person
	keys     []string // tokens of both scopes: one takes 120 requests a minute
	used     atomic.Int64
	replicas int // how many the instances read from
}

// moreKeys makes keys until there are so many.
func (x *clustered) moreKeys(n int) {
	for len(x.keys) < n {
		x.keys = append(x.keys, x.db.Key(x.fork.OrganisationID).Token())
	}
}

// nextKey is another token with each call.
func (x *clustered) nextKey() string { return x.keys[int(x.used.Add(1))%len(x.keys)] }

// TestCluster is `make cluster`: one cluster, and the tests of it one after the other. The last
// ones end its primaries. With KEEP=1 it stays up instead, until Ctrl-C.
func TestCluster(t *testing.T) {
	if os.Getenv("DG_CLUSTER") == "" {
		t.Skip("takes minutes: make cluster runs it")
	}
	begun := time.Now()
	x := newClustered(t)
	t.Logf("up after %s", time.Since(begun).Round(time.Second))
	if os.Getenv("KEEP") != "" {
		x.stay(t)
		return
	}
	t.Run("revocations hold", x.revocationsHold)
	t.Run("the reporting mode holds", x.reportingModeHolds)
	t.Run("faulty replicas", x.faultyReplicas)
	t.Run("the contract's suite", x.contractSuite)
	t.Run("a primary that is stopped", func(t *testing.T) { x.fails(t, (*cluster.Server).Shut) })
	t.Run("a primary that is frozen", func(t *testing.T) {
		x.fails(t, func(s *cluster.Server) { s.Signal(syscall.SIGSTOP) })
	})
	t.Run("a primary that is killed", x.failover)
}

func newClustered(t *testing.T) *clustered {
	t.Helper()
	program, err := apptest.Binary()
	require.NoError(t, err)
	x := &clustered{Cluster: cluster.New(t, program), replicas: 2}
	x.Serve(x.settings)
	owner, err := postgres.Open(t.Context(), x.URL("dg_owner"),
		postgres.Options{Name: "test", MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(owner.Close)
	x.db = fixtures.On(t, &pgtest.Database{
		URL:      x.URL("dg_app"),
		OwnerURL: x.URL("dg_owner"),
		Owner:    owner,
	})
	organisation := x.db.Organisation(fixtures.Organisation{})
	x.slug = organisation.Slug
	x.owner = x.db.Member(organisation.ID, "owner")
	x.fork = x.db.Fork(fixtures.Fork{OrganisationID: organisation.ID})
	x.moreKeys(40) // and 60 that may be made on the screens
	x.db.Players(organisation.ID, 200)
	x.db.Plays(x.fork, 20_000, x.fork.CreatedAt, 10*time.Minute)
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), x.ProxyURL()+x.stats(), x.keys[0]).StatusCode)
	return x
}

// settings of the nth instance: the first two reach the primary through PgBouncer, the third by the
// names of all servers.
func (x *clustered) settings(n int) []string {
	settings := []string{
		"DG_DATABASE_URL=" + x.URL("dg_app"), "DG_MIGRATE_DATABASE_URL=" + x.URL("dg_owner"),
	}
	if n < 2 {
		settings[0] = "DG_DATABASE_URL=" + x.PoolerURL("dg_app")
		settings = append(settings, "DG_DATABASE_POOLER=transaction")
	}
	urls := ""
	for _, replica := range x.DB[1 : 1+x.replicas] {
		urls += replica.URL("dg_app") + " "
	}
	return append(settings, "DG_DATABASE_REPLICA_URLS="+urls)
}

// stats is the path of the statistics of all plays.
func (x *clustered) stats() string {
	return "/api/v1/forks/" + x.fork.ID + "/stats?from=2026-01-01&to=2026-12-31"
}

// logErrors shows what the instances logged about answers 500.
func (x *clustered) logErrors(t *testing.T) {
	for _, i := range x.Instances {
		for line := range strings.Lines(i.Log()) {
			if strings.Contains(line, "status=500") || strings.Contains(line, "level=ERROR") {
				t.Logf("%s: %s", i.Name, line)
			}
		}
	}
}

// stay prints how to use the cluster by hand, and waits for Ctrl-C.
func (x *clustered) stay(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	fmt.Printf("\nThe cluster is up: %s\n  key       %s\n  sign in   %s, password %q\n  ask      "+
		" curl -H 'Authorization: Bearer %s' '%s%s'\n  PgBouncer %s\n",
		x.ProxyURL(), x.keys[0], x.owner.Email, fixtures.Password, x.keys[0], x.ProxyURL(),
		x.stats(), x.PoolerURL("postgres"))
	for _, s := range x.DB {
		fmt.Printf("  %s       pid %-7d psql '%s'\n", s.Name, s.Pid(), s.URL("postgres"))
	}
	for _, i := range x.Instances {
		fmt.Printf("  %s       pid %-7d %s, metrics %s/metrics\n", i.Name, i.Pid(), i.URL, i.OpsURL)
	}
	fmt.Print(`Kill one with kill -9, or stop it with kill -STOP (PostgreSQL: its children too). In psql on a replica:
  select pg_wal_replay_pause(); select pg_wal_replay_resume(); select pg_promote();
Ctrl-C ends everything.
`)
	<-ctx.Done()
}
