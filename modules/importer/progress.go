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

// Progress is the progress of an import.
type Progress struct {
	File           string
	Step           Step
	Lines          int64   // of the file
	LinesPerSecond float64 // since the file was opened
}

// reportEvery is the minimum interval between reports of lines.
const reportEvery = 200 * time.Millisecond

// meter measures and reports progress.
type meter struct {
	report          func(Progress)
	began, reported time.Time
	progress        Progress
}

func (m *meter) start(file string) {
	m.began = time.Now()
	m.reported = m.began
	m.progress = Progress{File: file, Step: StepReading}
}

func (m *meter) lines(n int64, end bool) {
	now := time.Now()
	if !end && now.Sub(m.reported) < reportEvery {
		return
	}
	m.reported = now
	m.progress.Lines = n
	m.progress.LinesPerSecond = float64(n) / max(now.Sub(m.began).Seconds(), 1e-3)
	m.report(m.progress)
}

func (m *meter) step(s Step) {
	m.progress.Step = s
	m.report(m.progress)
}

// Printer returns a progress function that keeps one line of a terminal up to date. It never ends
// the line: the next output has to begin with "\r\x1b[K".
func Printer(terminal io.Writer) func(Progress) {
	return func(p Progress) {
		if p.Step != StepReading {
			fmt.Fprintf(terminal, "\r\x1b[K%s: %d lines, %s…", p.File, p.Lines, p.Step)
			return
		}
		fmt.Fprintf(terminal, "\r\x1b[K%s: %d lines, %.0f lines/s", p.File, p.Lines,
			p.LinesPerSecond)
	}
}
