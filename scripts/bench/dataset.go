package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// manifest says what a data folder holds.
type manifest struct {
	Now     time.Time // the end of the plays
	Sets    []dataset // loaded
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

// ensure returns the data set, loading it where the folder does not hold it yet.
func (b *bench) ensure(ctx context.Context, d dataset) (dataset, error) {
	if have := slices.IndexFunc(b.set.Sets, d.same); have >= 0 {
		return b.set.Sets[have], nil
	}
	b.say("loading %d plays, %d players, %d forks", d.Plays, d.Players, d.Forks)
	began := time.Now()
	if err := b.load(ctx, &d); err != nil {
		return d, err
	}
	b.changed = true
	if d.Plays == b.opts.plays {
		took := time.Since(began)
		b.notes = append(b.notes, fmt.Sprintf("%s plays by %s players were loaded in %s, past the importer", thousands(int64(d.Plays)), thousands(int64(d.Players)), seconds(took)))
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
