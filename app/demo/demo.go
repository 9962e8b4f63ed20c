package demo

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"math/rand/v2"
	"regexp"
	"time"
)

const day = 24 * time.Hour

//go:embed organisations.ndjson
var organisations []byte

// asOf is the date of organisations.ndjson: Write shifts its timestamps by the days since.
var asOf = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)

var instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)

// Write writes the demo in the import format. Equal values of now give equal bytes.
func Write(w io.Writer, now time.Time) error {
	source := rand.NewChaCha8([32]byte([]byte("the demo is the same each time: ")))
	d := demo{
		out:     bufio.NewWriter(w),
		now:     now.UTC().Truncate(time.Millisecond),
		source:  source,
		random:  rand.New(source), //nolint:gosec // the demo is the same each time
		players: map[string][]player{},
	}
	for line := range bytes.Lines(organisations) {
		if err := d.writeLine(line); err != nil {
			return err
		}
	}
	for i := range d.forks {
		if err := d.writePlays(&d.forks[i]); err != nil {
			return err
		}
	}
	return d.out.Flush()
}

// demo is the state of one Write. All random numbers come from source, which has a fixed seed.
type demo struct {
	out     *bufio.Writer
	now     time.Time
	source  *rand.ChaCha8
	random  *rand.Rand
	forks   []fork              // with a release
	players map[string][]player // by organisation, in the order in which they join
}

func (d *demo) writeLine(line []byte) error {
	later := d.now.Truncate(day).Sub(asOf)
	line = instant.ReplaceAllFunc(line, func(text []byte) []byte {
		at, _ := time.Parse(time.RFC3339, string(text))
		return at.Add(later).AppendFormat(nil, time.RFC3339Nano)
	})
	var object struct {
		Type string
		fork
	}
	if err := json.Unmarshal(line, &object); err != nil {
		return err
	}
	switch {
	case object.Type == "player":
		d.players[object.OrganisationID] = append(d.players[object.OrganisationID],
			player{id: object.ID, ability: 0.6 + 0.14*d.random.NormFloat64()})
	case object.Type == "fork" && object.DeployedReleaseNumber > 0:
		d.forks = append(d.forks, object.fork)
	}
	_, err := d.out.Write(line)
	return err
}
