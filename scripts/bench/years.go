package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"dg/app/demo"
	"dg/modules/identity/password"
)

// A data set of years is an organisation whose training is its business.
const (
	yearsDays  = 3*365 + 1
	yearsForks = 200
	yearsFiles = 10
)

// loaded is what the import of one file took.
type loaded struct {
	Plays            int
	Seconds, Sealing float64 // until dg import ended; of which after its commit
	// bytes: written ahead, of the database afterwards, and at most while it ran
	WAL, Database, Peak float64
}

// loadYears imports the files that the folder does not hold yet.
func (b *bench) loadYears(ctx context.Context, d *dataset) (err error) {
	one := yearsSize(d, 1)
	// a part of one play: the ids do not depend on it, and all files may be there
	one.Parts = d.Plays
	if d.IDs, err = demo.Scale(io.Discard, d.seed(), b.data.Now, one); err != nil {
		return err
	}
	for nth := len(b.data.Files) + 1; nth <= yearsFiles; nth++ {
		f, err := b.loadFile(ctx, d, nth)
		if err != nil {
			return err
		}
		b.data.Files = append(b.data.Files, f)
		if err := b.keepManifest(); err != nil {
			return err
		}
		b.report.progress("  file %d: %.0f s, of which sealing %.0f s", nth, f.Seconds, f.Sealing)
	}
	return nil
}

func yearsSize(d *dataset, part int) demo.Size {
	return demo.Size{
		Plays:   d.Plays,
		Players: d.Players,
		Forks:   d.Forks,
		Days:    yearsDays,
		Groups:  d.Groups,
		Uneven:  true,
		Part:    part,
		Parts:   yearsFiles,
	}
}

func (b *bench) loadFile(ctx context.Context, d *dataset, nth int) (f loaded, err error) {
	f.Plays = d.Plays / yearsFiles
	before, err := b.walWritten(ctx)
	if err != nil {
		return f, err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	seen := make(chan watched, 1)
	go func() { seen <- b.watchImport(watching) }()
	began := time.Now()
	if err := b.loadSize(ctx, d, b.data.Now, yearsSize(d, nth)); err != nil {
		return f, err
	}
	ended := time.Now()
	stop()
	w := <-seen
	after, err := b.walWritten(ctx)
	f.Seconds = ended.Sub(began).Seconds()
	f.Sealing = ended.Sub(w.committed).Seconds()
	f.Peak = w.peak
	f.WAL = after - before
	return f, errors.Join(w.err, err,
		b.owner.QueryRow(ctx,
			`/* bench.databaseSize */ select pg_database_size(current_database())::float8`).
			Scan(&f.Database))
}

func (b *bench) walWritten(ctx context.Context) (bytes float64, err error) {
	err = b.owner.QueryRow(ctx, `/* bench.wal */ select (pg_current_wal_lsn() - '0/0')::float8`).
		Scan(&bytes)
	return bytes, err
}

// watched is what was seen of an import from outside.
type watched struct {
	committed time.Time
	peak      float64 // bytes
	err       error
}

// watchImport looks at the database until ctx ends. The import's transaction holds a lock on plays
// until it commits.
func (b *bench) watchImport(ctx context.Context) (w watched) {
	for {
		var importing bool
		var size float64
		err := b.owner.QueryRow(ctx,
			`/* bench.watchImport */ select pg_database_size(current_database())::float8, exists (
			select from pg_stat_activity where application_name = 'dg import'
			  and xact_start < now() - interval '1 s' and backend_xid is not null
			   and not query like '/* reports.%')`).Scan(&size, &importing)
		switch {
		case ctx.Err() != nil:
			return w
		case err != nil:
			w.err = err
			return w
		case importing:
			w.committed = time.Now()
		}
		w.peak = max(w.peak, size)
		select {
		case <-ctx.Done():
			return w
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// years measures what only shows with years of plays in many forks: the imports, what takes room,
// the list of reports, a vacuum and a restart.
func (b *bench) years(ctx context.Context) error {
	b.filesTable()
	if err := b.roomTable(ctx); err != nil {
		return err
	}
	list, err := b.signedIn(ctx)
	if err != nil {
		return err
	}
	got, err := alternate(ctx, quickBudget, timed(5, list))
	if err != nil {
		return err
	}
	b.report.note("the list of reports of %d forks: %s", yearsForks,
		unit(inMilliseconds).spread(got[0]))
	began := time.Now()
	if err := b.execute(ctx, `vacuum (freeze, analyze) plays`); err != nil {
		return err
	}
	b.report.note("freezing all plays: %.0f s", time.Since(began).Seconds())
	return b.restartAll(ctx)
}

func (b *bench) filesTable() {
	t := table{
		title: "Files, imported one after the other",
		rows: [][]string{
			{
				"plays before", "seconds", "plays a second", "of which sealing, s", "WAL",
				"database at most", "database after", "bytes a play",
			},
		},
	}
	plays := 0
	for _, f := range b.data.Files {
		total := plays + f.Plays
		t.rows = append(t.rows,
			[]string{digits(float64(plays)), digits(f.Seconds),
				digits(float64(f.Plays) / f.Seconds),
				digits(f.Sealing),
				inMegabytes(f.WAL), inMegabytes(f.Peak), inMegabytes(f.Database),
				digits(f.Database / float64(total))})
		plays = total
	}
	b.report.tables = append(b.report.tables, t)
}

// roomTable is what tables and indexes take.
func (b *bench) roomTable(ctx context.Context) error {
	t := table{title: "Room", rows: [][]string{{"table or index", "size", "bytes a play"}}}
	var name string
	var size float64
	err := b.forEach(ctx,
		`/* bench.room */ select c.relname,
			(pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0))::float8
		from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')
		 and pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)),
		   0) > 8 << 20 order by 2 desc`,
		nil, []any{&name, &size}, func() {
			t.rows = append(t.rows,
				[]string{name, inMegabytes(size), digits(size / float64(b.main.Plays))})
		})
	b.report.tables = append(b.report.tables, t)
	return err
}

const yearsPassword = "an owner of many forks"

// signedIn imports an owner and returns the work of asking for the list of reports.
func (b *bench) signedIn(ctx context.Context) (func(context.Context) error, error) {
	hash, err := password.Hash(yearsPassword, rand.Reader)
	if err != nil {
		return nil, err
	}
	organisation := b.main.IDs.Organisation.String()
	email := "owner@" + b.main.IDs.Organisation.String() + ".example"
	id := uuid.NewSHA1(b.main.IDs.Organisation, []byte("owner"))
	file :=
		fmt.Sprintf("{\"type\":\"user\",\"id\":%q,\"email\":%q,\"name\":\"Owner\",\"passwordHash\":%q}\n"+
			"{\"type\":\"membership\",\"organisationId\":%q,\"userId\":%q,\"role\":\"owner\"}\n",
			id,
			email, hash, organisation, id)
	if err := b.dg(ctx, bytes.NewBufferString(file), "import", "-"); err != nil {
		return nil, err
	}
	cookie, err := b.signIn(ctx, email)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet,
			"http://"+b.server.addr+"/o/scale-"+organisation[:8]+"/reports", http.NoBody)
		if err != nil {
			return err
		}
		request.AddCookie(cookie)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			err = fmt.Errorf("the list of reports: %s", response.Status)
		}
		return errors.Join(err, response.Body.Close())
	}, nil
}

func (b *bench) signIn(ctx context.Context, email string) (*http.Cookie, error) {
	form := url.Values{"email": {email}, "password": {yearsPassword}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+b.server.addr+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if cookies := response.Cookies(); response.StatusCode == http.StatusSeeOther &&
		len(cookies) > 0 {
		return cookies[0], nil
	}
	return nil, fmt.Errorf("sign in: %s", response.Status)
}

// restartAll stops and starts PostgreSQL and dg, and measures until both answer; the system still
// has its files in memory.
func (b *bench) restartAll(ctx context.Context) error {
	began := time.Now()
	if err := b.close(); err != nil {
		return err
	}
	stopped := time.Now()
	if err := b.openDatabase(ctx); err != nil {
		return err
	}
	var err error
	if b.server, err = b.serve(ctx); err != nil {
		return err
	}
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	var took []any
	for _, path := range []string{
		"/api/v1/forks", b.last(b.main, 366).statsPath(), b.last(b.main, 366).statsPath(),
	} {
		asked := time.Now()
		if err := c.get(path, nil); err != nil {
			return err
		}
		took = append(took, inMilliseconds(milliseconds(time.Since(asked))))
	}
	b.report.note("stopped in %s, answering %s later: the list in %s, statistics of 366 days in %s, then %s",
		append([]any{
			inMilliseconds(milliseconds(stopped.Sub(began))),
			inMilliseconds(milliseconds(time.Since(stopped))),
		}, took...)...)
	return nil
}
