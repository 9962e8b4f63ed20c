package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dg/app/demo"
)

const (
	leastPlays   = 10_000
	mostPlayers  = 100_000
	smallGroup   = 50
	largestGroup = 5_000
	setDays      = 400
	manifestFile = "set.json"
)

// manifest says what a data folder holds. It is written before an import as well as after it: an import is taken whole
// or not at all, and the same seed and instant give the same file, so one that was cut off is simply done again.
type manifest struct {
	Now     time.Time // the end of the plays
	Sets    []dataset // imported
	Writing bool      // a run was measuring writes: its plays may still be there
	path    string
}

// dataset is one organisation of the data folder.
type dataset struct {
	Plays, Players, Forks int
	Groups                []int
	IDs                   demo.ScaleIDs
}

func (d dataset) same(o dataset) bool {
	return d.Plays == o.Plays && d.Players == o.Players && d.Forks == o.Forks && slices.Equal(d.Groups, o.Groups)
}

// mainSet is the organisation whose one fork has all the plays.
func mainSet(plays int) dataset {
	players := min(plays/10, mostPlayers)
	return dataset{Plays: plays, Players: players, Forks: 1, Groups: []int{smallGroup, min(players/20, largestGroup)}}
}

// listSet is an organisation that has forks and no plays.
func listSet(forks int) dataset { return dataset{Forks: forks} }

func openManifest(folder string) (*manifest, error) {
	m := &manifest{path: filepath.Join(folder, manifestFile)}
	text, err := os.ReadFile(m.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Now = time.Now().UTC().Truncate(time.Millisecond)
		return m, m.save()
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	return m, nil
}

func (m *manifest) save() error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(m.path, text, 0o644)
}

// ensure returns the data set, importing it where the folder does not hold it yet.
func (b *bench) ensure(ctx context.Context, d dataset) (dataset, error) {
	if have := slices.IndexFunc(b.set.Sets, d.same); have >= 0 {
		return b.set.Sets[have], nil
	}
	b.say("importing %d plays, %d players, %d forks", d.Plays, d.Players, d.Forks)
	began := time.Now()
	r, w := io.Pipe()
	ids := make(chan demo.ScaleIDs, 1)
	go func() {
		out, err := demo.Scale(w, d.seed(), b.set.Now, demo.Size{Plays: d.Plays, Players: d.Players, Forks: d.Forks, Days: setDays, Groups: d.Groups})
		ids <- out
		_ = w.CloseWithError(err)
	}()
	err := b.dg(ctx, r, "import", "-")
	_ = r.Close() // ends Scale where the import has failed
	d.IDs = <-ids
	if err != nil {
		return d, err
	}
	b.changed = true
	if d.Plays > 0 {
		took := time.Since(began)
		b.notes = append(b.notes, fmt.Sprintf("dg import of %s plays, sealing included: %s, %s plays a second",
			thousands(int64(d.Plays)), seconds(took), thousands(int64(float64(d.Plays)/took.Seconds()))))
	}
	b.set.Sets = append(b.set.Sets, d)
	return d, b.set.save()
}

// seed is another for each shape: organisations of two data sets must not share ids.
func (d dataset) seed() uint64 {
	seed := uint64(d.Plays)
	for _, n := range append([]int{d.Players, d.Forks}, d.Groups...) {
		seed = seed*1_000_003 + uint64(n)
	}
	return seed
}

// settle leaves the tables as a server has them that runs for a while: vacuumed, analysed, finished days sealed.
func (b *bench) settle(ctx context.Context) error {
	if !b.changed {
		return nil
	}
	b.changed = false
	b.say("vacuum analyze")
	rows, err := b.owner.Query(ctx, `/* bench.tables */ select relname from pg_class
		where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) = current_user`)
	if err != nil {
		return err
	}
	tables, err := collect[string](rows)
	if err != nil {
		return err
	}
	_, err = b.owner.Exec(ctx, `/* bench.vacuum */ vacuum (analyze) `+strings.Join(tables, ", "))
	return err
}
