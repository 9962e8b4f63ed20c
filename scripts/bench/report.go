package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// report collects the lines of a table and prints them as Markdown.
type report struct {
	out      io.Writer // progress
	began    time.Time
	postgres string
	settings map[string]string // of PostgreSQL, beside an embedded one's
	// the most memory that dg had, in bytes; 0 where the kernel does not tell
	peak  float64
	rows  [][]string // the first is the heading
	notes []string
}

func newReport(progress io.Writer) *report {
	return &report{out: progress, began: time.Now(), rows: [][]string{
		{"work", "ours: median (min..max)", "limit", "ratio", "bar", "holds"},
	}}
}

// progress writes a line to the terminal that is not part of the report.
func (r *report) progress(format string, args ...any) {
	fmt.Fprintf(r.out, "[%4.0f s] %s\n", time.Since(r.began).Seconds(),
		fmt.Sprintf(format, args...))
}

func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, english.Sprintf(format, args...))
}

// unit formats a figure.
type unit func(float64) string

var english = message.NewPrinter(language.English)

func inMilliseconds(v float64) string { return digits(v) + " ms" }
func inMegabytes(v float64) string    { return digits(v/(1<<20)) + " MB" }
func perSecond(v float64) string      { return digits(v) + "/s" }

// digits formats a figure with three significant digits, and with commas from a thousand.
func digits(v float64) string {
	switch {
	case v >= 100 || v == math.Trunc(v):
		return english.Sprintf("%d", int64(math.Round(v)))
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (u unit) spread(s sample) string {
	if len(s.all()) == 1 {
		return u(s.median())
	}
	return fmt.Sprintf("%s (%s..%s)", u(s.median()), u(s.min()), u(s.max()))
}

// faster adds a line: ours must be at least bar times faster than the limit.
func (r *report) faster(work string, ours, limit sample, bar float64) {
	ratio := limit.over(ours)
	r.line(work, inMilliseconds, ours, limit, ratio, "≥ "+digits(bar)+" x faster", ratio >= bar)
}

// atMost adds a line: ours may take at most bar times the limit.
func (r *report) atMost(work string, u unit, ours, limit sample, bar float64) {
	ratio := ours.over(limit)
	r.line(work, u, ours, limit, ratio, "≤ "+digits(bar)+" x", ratio <= bar)
}

// atLeast adds a line: ours, a rate, must be at least bar times the limit.
func (r *report) atLeast(work string, ours, limit sample, bar float64) {
	ratio := ours.over(limit)
	r.line(work, perSecond, ours, limit, ratio, "≥ "+digits(bar)+" x", ratio >= bar)
}

// line adds a line.
func (r *report) line(
	work string, u unit, ours, limit sample, ratio float64, bar string, holds bool,
) {
	row := []string{
		work, u.spread(ours), u.spread(limit), digits(ratio), bar, map[bool]string{
			true:  "yes",
			false: "NO",
		}[holds],
	}
	r.rows = append(r.rows, row)
	r.progress("  %s", strings.Join(row, " | "))
}

// write writes the table; the first line says where and when.
func (r *report) write(out io.Writer) {
	fmt.Fprintf(out, "\n%s, %.0f s\n\n", r.conditions(), time.Since(r.began).Seconds())
	r.writeTable(out)
	for _, n := range r.notes {
		fmt.Fprintln(out, "\n-", n)
	}
}

// conditions say where and when.
func (r *report) conditions() string {
	version, _, _ := strings.Cut(r.postgres, " ")
	settings := []string{"dg's settings"}
	for _, name := range slices.Sorted(maps.Keys(r.settings)) {
		settings = append(settings, name+" "+r.settings[name])
	}
	return fmt.Sprintf("PostgreSQL %s with %s, %s, %d cores, %s", version,
		strings.Join(settings, ", "), runtime.Version(), runtime.NumCPU(),
		time.Now().UTC().Format(time.DateOnly))
}

func (r *report) writeTable(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	for _, row := range slices.Insert(slices.Clone(r.rows), 1,
		slices.Repeat([]string{"---"}, len(r.rows[0]))) {
		fmt.Fprintf(w, "| %s\t|\n", strings.Join(row, "\t| "))
	}
	_ = w.Flush() // an error of it is one of out, a terminal or a file
}
