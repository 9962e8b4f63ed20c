package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// mainKeys is how many keys the sections take turns with, so that the rate of none is met.
const mainKeys = 500

// check proves that what is measured is right: the API's answers are, to the byte, what SQL over the raw plays gives; and
// a CSV has as many rows as there are plays.
func (b *bench) check(ctx context.Context) error {
	b.say("checking the figures against raw SQL")
	ring, err := b.ring(ctx, b.main.IDs.Organisation.String(), mainKeys)
	if err != nil {
		return err
	}
	a := b.asker(ring)
	queries := b.checked()
	for _, q := range queries {
		want, err := b.rawFigures(ctx, q)
		if err != nil {
			return err
		}
		body, err := a.get(q.statsPath())
		if err != nil {
			return err
		}
		if err := sameText(want.appendJSON(nil), body); err != nil {
			return fmt.Errorf("the figures of %s are wrong: %w", q.statsPath(), err)
		}
		if want.suppressed {
			continue // its file is a header row
		}
		if err := b.checkRows(ctx, ring, q); err != nil {
			return err
		}
	}
	b.notes = append(b.notes, fmt.Sprintf("before anything was timed, the answers to %d queries (all players and groups, 1 to 366 days) were equal to raw SQL's to the byte, and the CSVs had as many rows as there are plays", len(queries)))
	return nil
}

// checked are the periods and groups that are compared: some end in the day that is not over, or lie before all plays.
func (b *bench) checked() []query {
	year, month := b.last(&b.main, 366), b.last(&b.main, 30)
	before := year
	before.from, before.days = b.set.Now.AddDate(0, 0, -500).Truncate(24*time.Hour), 31
	middle := year
	middle.from, middle.days = year.from.AddDate(0, 0, 13), 200
	queries := []query{year, month, b.last(&b.main, 1), middle, before}
	for group := range b.main.IDs.Groups {
		for _, q := range []query{year, month, b.last(&b.main, 2), middle} {
			queries = append(queries, q.of(group))
		}
	}
	return queries
}

// checkRows compares the rows of the CSV with the count of plays.
func (b *bench) checkRows(ctx context.Context, ring *keyRing, q query) error {
	where, args := q.where()
	var want int
	if err := b.reads.QueryRow(ctx, `/* bench.count */ select count(*)`+where, args...).Scan(&want); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.server.addr+q.exportPath(), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", ring.header())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	rows := -1 // the header
	for buf := make([]byte, 256<<10); ; {
		n, err := response.Body.Read(buf)
		rows += bytes.Count(buf[:n], []byte("\n"))
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s broke off, see serve.log beside the data: %w", q.exportPath(), err)
		}
	}
	if response.StatusCode != http.StatusOK || rows != want {
		return fmt.Errorf("%s: status %d and %d rows; there are %d plays", q.exportPath(), response.StatusCode, rows, want)
	}
	return nil
}

// sameText says where two texts part.
func sameText(want, got []byte) error {
	if bytes.Equal(want, got) {
		return nil
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	from := max(0, at-80)
	return fmt.Errorf("at byte %d of %d: …%s… instead of …%s…", at, len(want), got[from:min(len(got), at+80)], want[from:min(len(want), at+80)])
}
