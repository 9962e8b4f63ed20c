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
	"time"

	"dg/platform/testkit/history"
)

const (
	mostPlayers  = 100_000
	smallGroup   = 50
	largestGroup = 5_000
	setDays      = 400
)

// manifest says what a data folder holds.
type manifest struct {
	Now  time.Time // the end of the plays
	Sets []*dataset
}

// dataset is one organisation of the data folder. Its plays are of its first fork.
type dataset struct {
	Name                  string // tells data sets of one shape apart
	Plays, Players, Forks int
	Groups                []int
	IDs                   history.IDs
}

func (d *dataset) same(o *dataset) bool {
	return d.Name == o.Name && d.Plays == o.Plays && d.Players == o.Players && d.Forks == o.Forks &&
		slices.Equal(d.Groups, o.Groups)
}

// seed differs for each shape and name: organisations of two data sets must not share ids.
func (d *dataset) seed() uint64 {
	seed := uint64(d.Plays)
	for _, n := range append([]int{d.Players, d.Forks}, d.Groups...) {
		seed = seed*1_000_003 + uint64(n)
	}
	for _, r := range d.Name {
		seed = seed*1_000_003 + uint64(r)
	}
	return seed
}

// openData reads the manifest and loads the organisation whose one fork has all the plays.
func (b *bench) openData(ctx context.Context) (err error) {
	text, err := os.ReadFile(b.manifestPath())
	if err == nil {
		err = json.Unmarshal(text, &b.data)
	} else if errors.Is(err, fs.ErrNotExist) {
		b.data.Now = time.Now().UTC().Truncate(time.Millisecond)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", b.manifestPath(), err)
	}
	if err := setTriggers(ctx, b.owner, true); err != nil { // an earlier run may have been killed
		return err
	}
	players := min(b.opts.Plays/10, mostPlayers)
	b.main, err = b.dataset(ctx, dataset{
		Plays:   b.opts.Plays,
		Players: players,
		Forks:   1,
		Groups:  []int{smallGroup, min(players/20, largestGroup)},
	})
	return err
}

func (b *bench) manifestPath() string { return filepath.Join(b.folder, "set.json") }

// dataset returns a data set, which it loads and vacuums when the folder does not hold it.
func (b *bench) dataset(ctx context.Context, want dataset) (*dataset, error) {
	if at := slices.IndexFunc(b.data.Sets, want.same); at >= 0 {
		return b.data.Sets[at], nil
	}
	b.report.progress("loading %d plays, %d players, %d forks", want.Plays, want.Players,
		want.Forks)
	if err := b.load(ctx, &want); err != nil {
		return nil, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, err
	}
	b.data.Sets = append(b.data.Sets, &want)
	text, err := json.MarshalIndent(b.data, "", "  ")
	if err != nil {
		return nil, err
	}
	return &want, os.WriteFile(b.manifestPath(), text, 0o644)
}

// load imports the organisation with `dg import`. Ids depend on the seed alone: a load that was
// interrupted is repeated.
func (b *bench) load(ctx context.Context, d *dataset) error {
	r, w := io.Pipe()
	imported := make(chan error, 1)
	go func() {
		err := b.run(ctx, r, "import", "-")
		_ = r.CloseWithError(err) // ends Write when the import has failed
		imported <- err
	}()
	ids, err := history.Write(w, d.seed(), b.data.Now, history.Size{
		Plays:   d.Plays,
		Players: d.Players,
		Forks:   d.Forks,
		Days:    setDays,
		Groups:  d.Groups,
	})
	_ = w.CloseWithError(err)
	d.IDs = ids
	return errors.Join(<-imported, err)
}

// settle vacuums and analyses, as a server that runs for a while has done. The import has sealed.
func (b *bench) settle(ctx context.Context) error {
	b.report.progress("vacuuming")
	return b.execute(ctx, `vacuum (analyze)`)
}
