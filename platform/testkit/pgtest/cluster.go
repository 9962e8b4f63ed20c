package pgtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/postgres"
	"dg/platform/postgres/replica"
)

// `make cluster` sets these variables to run the tests of other packages on its servers: the
// primary's URL as dg_app, whose password is also that of dg_owner and postgres, and the URLs of
// its standbys.
const (
	serverVariable   = "DG_TEST_SERVER"
	replicasVariable = "DG_TEST_REPLICAS"
)

// readFrom makes reports read from the standbys, once they have the database. At the end it logs
// how many they read.
func (d *Database) readFrom(t testing.TB, urls []string, name string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	for i := range urls {
		urls[i] = inDatabase(urls[i], name)
		if err := awaitDatabase(ctx, urls[i]); err != nil {
			t.Fatalf("pgtest: a standby has no database %s: %v", name, err)
		}
	}
	rs, err := replica.Open(ctx, urls, d.DB,
		map[*postgres.DB]postgres.Options{d.DB: {Name: "pgtest", MaxConns: servingConns}})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rs.Run(ctx)
	}()
	t.Cleanup(func() {
		reads := int64(0)
		for _, r := range rs.All() {
			reads += r.Reads()
		}
		t.Logf("%d reports read from replicas", reads)
		stop()
		<-ended
		rs.Close()
	})
}

func awaitDatabase(ctx context.Context, url string) (err error) {
	//nolint:forbidigo // a poll, bounded
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, url); err == nil {
			return conn.Close(ctx)
		}
	}
	return err
}
