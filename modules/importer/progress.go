package importer

import (
	"fmt"
	"io"
	"time"
)

// Step is what an import does at the moment.
type Step string

// The steps of each file.
const (
	StepReading  Step = "reading"
	StepChecking Step = "checking"
	StepWriting  Step = "writing"
)

// Progress is how far an import is.
type Progress struct {
	File           string
	Step           Step
	Lines          int64   // of the file
	LinesPerSecond float64 // since the file was begun, while it was read
}

// every is how often progress is told.
const every = 200 * time.Millisecond

// meter measures progress and tells it.
type meter struct {
	tell        func(Progress)
	now         func() time.Time
	began, told time.Time
	progress    Progress
}

func newMeter(tell func(Progress), now func() time.Time) *meter {
	if tell == nil {
		tell = func(Progress) {}
	}
	return &meter{tell: tell, now: now}
}

func (m *meter) start(file string) {
	m.began = m.now()
	m.told = m.began
	m.progress = Progress{File: file, Step: StepReading}
}

func (m *meter) lines(n int64, end bool) {
	now := m.now()
	if !end && now.Sub(m.told) < every {
		return
	}
	m.told = now
	m.progress.Lines = n
	m.progress.LinesPerSecond = float64(n) / max(now.Sub(m.began).Seconds(), 1e-3)
	m.tell(m.progress)
}

func (m *meter) step(s Step) {
	m.progress.Step = s
	m.tell(m.progress)
}

// Printer returns a progress function that keeps one line of a terminal up to date. The line stays without its end:
// whoever prints next begins with "\r\x1b[K".
func Printer(terminal io.Writer) func(Progress) {
	return func(p Progress) {
		if p.Step != StepReading {
			fmt.Fprintf(terminal, "\r\x1b[K%s: %d lines, %s…", p.File, p.Lines, p.Step)
			return
		}
		fmt.Fprintf(terminal, "\r\x1b[K%s: %d lines, %.0f lines/s", p.File, p.Lines, p.LinesPerSecond)
	}
}

// Print writes what was added and replaced, by type.
func (s Summary) Print(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%-14s%10s%10s%11s\n", "", "added", "replaced", "unchanged"); err != nil {
		return err
	}
	for _, c := range s.Counts {
		if c.Added+c.Replaced+c.Unchanged == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-14s%10d%10d%11d\n", c.Type, c.Added, c.Replaced, c.Unchanged); err != nil {
			return err
		}
	}
	return nil
}
