package importer

import (
	"fmt"
	"io"
	"time"
)

// Step is a step of an import.
type Step string

// The steps of each file.
const (
	StepReading  Step = "reading"
	StepChecking Step = "checking"
	StepWriting  Step = "writing"
)

// Progress is how far an import is, with the lines of the file so far.
type Progress struct {
	File  string
	Step  Step
	Lines int64
}

// reportEvery is the minimum interval between two reports of a step.
const reportEvery = 200 * time.Millisecond

// meter reports progress.
type meter struct {
	report   func(Progress) // may be nil
	reported time.Time
	step     Step
}

func (m *meter) show(p Progress) {
	if m.report == nil || p.Step == m.step && time.Since(m.reported) < reportEvery {
		return
	}
	m.reported = time.Now()
	m.step = p.Step
	m.report(p)
}

// Printer returns a progress function that keeps one line of a terminal up to date. It never ends
// the line: the next output has to begin with "\r\x1b[K".
func Printer(terminal io.Writer) func(Progress) {
	return func(p Progress) {
		fmt.Fprintf(terminal, "\r\x1b[K%s: %d lines, %s…", p.File, p.Lines, p.Step)
	}
}
