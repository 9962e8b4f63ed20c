package system

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

func newStandby(t *testing.T, x *apptest.External) *apptest.External {
	pgtest.RequireProgram(t, "pg_basebackup")
	x.Exec(`alter system set max_standby_streaming_delay = 0`)
	programs := testkit.One[string](x.World, `select setting from pg_config where name = 'BINDIR'`)
	dir := apptest.NewFolder(t)
	copied := exec.CommandContext(t.Context(), "sh", "-ec", `mkdir -m 711 "$COPY"
		"$PROGRAMS/pg_basebackup" -h "$SOCKET" -U postgres -D "$COPY/cluster" -R -c fast -X stream
		chown -R --reference="$DATA" "$COPY"`)
	copied.Env = append(os.Environ(), "PROGRAMS="+programs, "SOCKET="+x.Link, "COPY="+dir,
		"DATA="+filepath.Join(x.Dir, "cluster"))
	out, err := copied.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return apptest.ExternalOn(t, dir)
}

// become makes the stopped server start as a standby or as a primary.
func become(t *testing.T, x *apptest.External, standby bool) {
	signal := filepath.Join(x.Dir, "cluster", "standby.signal")
	if standby {
		require.NoError(t, os.WriteFile(signal, nil, 0o600))
	} else {
		require.NoError(t, os.Remove(signal))
	}
}

// replicated is dg on a primary with a replica, and a key of an organisation with plays.
type replicated struct {
	t                *testing.T
	x                *apptest.External
	primary          *testkit.World
	standby          *apptest.External
	standbyURL       string // with a password that no output may show
	c                *apptest.Child
	token, org, fork string
	query            string
}

func newReplicated(t *testing.T) *replicated {
	x := apptest.NewExternal(t)
	x.Serve("--demo").Stop() // the standby begins with a schema
	w := &replicated{t: t, x: x, standby: newStandby(t, x), primary: x.World}
	w.standbyURL = apptest.ProxyDatabase(t, w.standby.As(url.UserPassword("dg_app", "s3cret")), slowly)
	w.c = x.Serve("--demo", "--database-replica-urls", w.standbyURL)
	w.token = w.c.DemoToken()
	w.org = testkit.One[string](w.primary,
		`select org_id::text from api_keys where starts_with($1, 'dg_live_' || id)`, w.token)
	w.fork = testkit.One[string](w.primary, `select fork_id::text from plays where org_id = $1
		group by fork_id order by count(*) desc limit 1`, w.org)
	w.query = apptest.LastDays(366)
	return w
}

func (w *replicated) stats() string { return w.read("/stats") }

func (w *replicated) export() string { return w.read("/exports/csv") }

// replay pauses or resumes the standby's replay. It retries, because replay may cancel the statement.
func (w *replicated) replay(what string) {
	apptest.Until(w.t, 10*time.Second, "replay does not "+what, func() bool {
		_, err := w.standby.Owner.Pool.Exec(context.Background(), `select pg_wal_replay_`+what+`()`)
		return err == nil
	})
}

func (w *replicated) read(endpoint string) string {
	w.primary.Exec(`delete from api_key_windows`) // this test asks more often than a key may
	return w.c.Fetch("/api/v1/forks/"+w.fork+endpoint+w.query, w.token)
}

func (w *replicated) screen(path string) string {
	slug := testkit.One[string](w.primary, `select slug from organisations where id = $1`, w.org)
	return w.c.Fetch("/o/"+slug+path, "", "Cookie", ownersSession(w.t, w.primary),
		"Accept", "text/html", "Sec-Fetch-Site", "same-origin")
}

func (w *replicated) reads() float64 { return w.c.Metric(`dg_replica_reads_total{replica="1"}`) }

// untilRead repeats a request until it reads from the replica.
func (w *replicated) untilRead(what string, ask func()) {
	before := w.reads()
	apptest.Until(w.t, 30*time.Second, what+" does not read from the replica", func() bool {
		ask()
		return w.reads() != before
	})
}

// leftOut requires that the replica is left out for that reason, which the log has after since.
func (w *replicated) leftOut(since int, why string) {
	apptest.Until(w.t, 30*time.Second, "the replica is not left out, because "+why, func() bool {
		w.stats()
		return strings.Contains(w.logged(since), why)
	})
	require.Equal(w.t, 1.0, w.c.Metric(`dg_replica_resting{replica="1"}`))
	require.Equal(w.t, "ready\nreplica 1: left out\n", w.c.Fetch("/readyz", ""))
}

func (w *replicated) logged(since int) string { return w.c.Log.String()[since:] }

// slowly passes what it reads once the connection is older than a read waits for a replica.
func slowly(client, server net.Conn) {
	time.Sleep(100 * time.Millisecond) // a network with latency
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
	_ = client.Close()
}
