package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// savedRun is what a run leaves for another to compare with. Ratios are compared, not times: the
// limit was measured in the same minutes on the same machine.
type savedRun struct {
	Conditions string
	Lines      []savedLine
}

type savedLine struct {
	Work  string
	Ratio float64
}

// lastRun is the name of the file, in the folder of the data set.
const lastRun = "last.json"

func (b *bench) save() error {
	text, err := json.MarshalIndent(savedRun{b.report.conditions(), b.report.lines}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.folder, lastRun), append(text, '\n'), 0o644)
}

// readSaved reads a saved run; no name reads none.
func readSaved(name string) (*savedRun, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var s savedRun
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s is not a saved run: %w", name, err)
	}
	return &s, nil
}

// change says the ratio of a line in a saved run, and by what factor the new one is better: below 1
// it is worse.
func (s *savedRun) change(work string, ratio float64, moreIsBetter bool) string {
	i := slices.IndexFunc(s.Lines, func(l savedLine) bool { return l.Work == work })
	if i < 0 || s.Lines[i].Ratio == 0 || ratio == 0 {
		return "new"
	}
	before := s.Lines[i].Ratio
	better := before / ratio
	if moreIsBetter {
		better = ratio / before
	}
	return fmt.Sprintf("%s, x %s", digits(before), digits(better))
}

// The table of the README is between these lines.
const (
	tableBegins = "<!-- made by make bench -->"
	tableEnds   = "<!-- end of what make bench made -->"
)

// writeReadme replaces the table of a document by the report's.
func (r *report) writeReadme(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		return fmt.Errorf("%s has no lines %q and %q", name, tableBegins, tableEnds)
	}
	var made strings.Builder
	fmt.Fprintf(&made, "%s%s\n\n%s.\n\n", before, tableBegins, r.conditions())
	r.writeTable(&made)
	fmt.Fprintf(&made, "\n%s%s", tableEnds, after)
	return os.WriteFile(name, []byte(made.String()), 0o644)
}
