package cluster

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/cluster"
)

// loadSpan is how long a figure is measured.
const loadSpan = 6 * time.Second

// Statistics and exports with 0, 1 and 2 replicas. All servers share this machine's processors, so
// that the processor time of the primary for each call is the figure that counts.
func (x *clustered) throughput(t *testing.T) {
	x.moreKeys(600)
	figures := map[string][]measured{}
	for _, kind := range []string{"stats", "exports/csv"} {
		t.Logf("%-12s %8s %9s %9s %13s %13s %10s", kind, "replicas", "calls/s", "median",
			"primary/call", "replicas/call", "dg/call")
		for replicas := range 3 {
			x.replicas = replicas
			x.Serve(x.settings)
			x.waitReady(t)
			if replicas > 0 {
				x.untilReplicaServes(t)
			}
			m := x.measure(t, kind)
			figures[kind] = append(figures[kind], m)
			t.Logf("%-12s %8d %9.1f %9s %13s %13s %10s", "", replicas, m.perSecond,
				m.median.Round(100*time.Microsecond),
				m.primary.Round(10*time.Microsecond), m.standbys.Round(10*time.Microsecond),
				m.dg.Round(10*time.Microsecond))
		}
		f := figures[kind]
		t.Logf("%s: the primary takes %.0f %% with 1 replica and %.0f %% with 2 of what it takes without",
			kind,
			100*f[1].primary.Seconds()/f[0].primary.Seconds(),
			100*f[2].primary.Seconds()/f[0].primary.Seconds())
		require.Less(t, f[2].primary, f[0].primary)
	}
}

// measured is what was measured: calls, and the processor time of each.
type measured struct {
	perSecond             float64
	median                time.Duration
	primary, standbys, dg time.Duration
}

// measure has eight clients (four for exports: an organisation's limit) ask as fast as they are
// answered.
func (x *clustered) measure(t *testing.T, kind string) (m measured) {
	t.Helper()
	clients := map[string]int{"stats": 8, "exports/csv": 4}[kind]
	path := x.stats()
	if kind != "stats" {
		path = x.csv()
	}
	var mu sync.Mutex
	var took []time.Duration
	var answers apptest.Counter
	before := x.processorTimes()
	begun := time.Now()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for n := 0; time.Since(begun) < loadSpan; n++ {
				asked := time.Now()
				status, _ := apptest.FetchFrom(http.DefaultClient, x.ProxyURL()+path, x.nextKey())
				answers.Add(fmt.Sprint(status))
				mu.Lock()
				took = append(took, time.Since(asked))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	span := time.Since(begun)
	after := x.processorTimes()
	require.Equal(t, len(took), answers.Of("200"), "%v", &answers)
	calls := time.Duration(len(took))
	slices.Sort(took)
	return measured{float64(len(took)) / span.Seconds(), took[len(took)/2],
		(after[0] - before[0]) / calls, (after[1] - before[1]) / calls,
		(after[2] - before[2]) / calls}
}

// processorTimes are those of the primary, of the standbys, and of the instances.
func (x *clustered) processorTimes() (sums [3]time.Duration) {
	add := func(n int, p *cluster.Process) { sums[n] += p.CPU() }
	add(0, x.DB[0].Process)
	add(1, x.DB[1].Process)
	add(1, x.DB[2].Process)
	for _, i := range x.Instances {
		add(2, i.Process)
	}
	return sums
}
