package cluster

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/cluster"
)

// replicaFault is a fault of the first replica, its end, and the state that /readyz then shows.
type replicaFault struct {
	name, state string
	begin, end  func(s *cluster.Server)
}

// vandalism changes a promoted replica, so that a report read from it would be wrong.
const vandalism = `set synchronous_commit = local; update organisations
	set reporting_mode = 'nominative'; delete from plays where random() < 0.5`

var replicaFaults = []replicaFault{
	{"killed", "unreachable", (*cluster.Server).Kill, restart},
	{"stopped in order", "unreachable", (*cluster.Server).Shut, restart},
	{
		"frozen (SIGSTOP)", "unreachable",
		func(s *cluster.Server) { s.Signal(syscall.SIGSTOP) },
		func(s *cluster.Server) { s.Signal(syscall.SIGCONT) },
	},
	{"replay paused", "behind", (*cluster.Server).Pause, (*cluster.Server).Resume},
	{"promoted", "promoted", func(s *cluster.Server) {
		s.Promote()
		s.Exec(vandalism)
	}, func(*cluster.Server) {}},
	{"diverged", "diverged", func(s *cluster.Server) {
		s.Shut()
		s.BecomeStandby()
		s.Start("primary_conninfo=")
	}, func(s *cluster.Server) {
		s.Shut()
		s.Copy()
		s.Start()
	}},
}

func restart(s *cluster.Server) { s.Start() }

// Under any fault of a replica no answer is wrong, older than its request or 500. The replica is
// left out, and used again afterwards.
func (x *clustered) faultyReplicas(t *testing.T) {
	l := x.startLoad(t)
	x.untilReplicaServes(t)
	replica := x.DB[1]
	before := x.linesOfReplica()
	for _, f := range replicaFaults {
		f.begin(replica)
		require.Less(t, l.watch(t, 3*time.Second).lastBad, 3*time.Second, f.name)
		for _, state := range x.replicaStates(t) {
			require.Equal(t, f.state, state, f.name)
		}
		f.end(replica)
		if f.name != "promoted" { // the next fault is what becomes of it
			x.untilReplicaServes(t)
		}
	}
	l.check(t)
	for n, lines := range x.linesOfReplica() {
		require.Positive(t, lines-before[n])
		require.Less(t, lines-before[n], 6*len(replicaFaults),
			"one line for each change of its state, not one for each request")
	}
}

// replicaStates are what the instances' /readyz says of the first replica.
func (x *clustered) replicaStates(t *testing.T) (states []string) {
	t.Helper()
	for _, i := range x.Instances {
		status, body := apptest.FetchFrom(http.DefaultClient, i.URL+"/readyz", "")
		require.Equal(t, http.StatusOK, status, "%s", body)
		_, rest, _ := strings.Cut(string(body), "replica 1: ")
		state, _, _ := strings.Cut(rest, "\n")
		states = append(states, state)
	}
	return states
}

// untilReplicaServes waits until the first replica takes reads of every instance.
func (x *clustered) untilReplicaServes(t *testing.T) {
	t.Helper()
	before := make([]float64, len(x.Instances))
	for n, i := range x.Instances {
		before[n] = metricOf(t, i, `dg_replica_reads_total{replica="1"}`)
	}
	apptest.Until(t, time.Minute, "the replica does not serve", func() bool {
		for n, i := range x.Instances {
			_, _ = apptest.FetchFrom(http.DefaultClient,
				i.URL+"/api/v1/forks/"+x.fork.ID+"/stats"+apptest.SomeDays, x.nextKey())
			if metricOf(t, i, `dg_replica_reads_total{replica="1"}`) <= before[n] {
				return false
			}
		}
		return true
	})
}

// metricOf is the value of a metric of an instance, 0 if it has none.
func metricOf(t *testing.T, i *cluster.Instance, name string) (value float64) {
	t.Helper()
	_, body := apptest.FetchFrom(http.DefaultClient, i.OpsURL+"/metrics", "")
	for lines := bufio.NewReader(bytes.NewReader(body)); ; {
		line, err := lines.ReadString('\n')
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			_, err = fmt.Sscan(rest, &value)
			require.NoError(t, err)
			return value
		}
		if err == io.EOF {
			return 0
		}
	}
}

// linesOfReplica counts what each instance logged about the first replica.
func (x *clustered) linesOfReplica() (counts []int) {
	for _, i := range x.Instances {
		counts = append(counts, strings.Count(i.Log(), " replica=1"))
	}
	return counts
}
