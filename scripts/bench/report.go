package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// line is one line of the table: our figure beside its limit, and the bar that the ratio is held to.
type line struct {
	work        string
	ours, limit sample
	unit        unit
	ratio       float64 // NaN where there is none
	bar         string
	holds       bool
	open        bool // not measured: it neither holds nor fails
}

// unit writes a figure.
type unit func(float64) string

func inMilliseconds(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.2f s", v/1000)
	case v >= 100:
		return fmt.Sprintf("%.0f ms", v)
	case v >= 10:
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.2f ms", v)
}

func inMegabytes(v float64) string { return fmt.Sprintf("%.1f MB", v/(1<<20)) }
func perSecond(v float64) string   { return thousands(int64(v)) + "/s" }

// atLeast adds a line whose limit must be at least bar times ours: how many times faster we are.
func (b *bench) atLeast(work string, ours, limit sample, bar float64) {
	ratio := limit.over(ours)
	b.add(line{work: work, ours: ours, limit: limit, unit: inMilliseconds, ratio: ratio, bar: "≥ " + number(bar) + " x faster", holds: ratio >= bar})
}

// atMost adds a line whose ours must be at most bar times the limit.
func (b *bench) atMost(work string, ours, limit sample, bar float64) {
	ratio := ours.over(limit)
	b.add(line{work: work, ours: ours, limit: limit, unit: inMilliseconds, ratio: ratio, bar: "≤ " + number(bar) + " x", holds: ratio <= bar})
}

// ofRate adds a line whose ours, a rate, must be at least the share bar of the limit's.
func (b *bench) ofRate(work string, ours, limit sample, bar float64) {
	ratio := ours.over(limit)
	b.add(line{work: work, ours: ours, limit: limit, unit: perSecond, ratio: ratio, bar: "≥ " + number(bar) + " x", holds: ratio >= bar})
}

// within adds a line whose worst figure must stay below a fixed limit.
func (b *bench) within(work string, ours sample, limit float64, u unit) {
	b.add(line{work: work, ours: ours, limit: one(limit), unit: u, ratio: ours.most() / limit, bar: "worst ≤ " + u(limit), holds: ours.most() <= limit})
}

// missing adds a line that could not be measured.
func (b *bench) missing(work, bar string) { b.add(line{work: work, bar: bar, open: true}) }

func (b *bench) add(l line) {
	b.lines = append(b.lines, l)
	b.say("  %s", strings.Join(l.cells(), " | "))
}

func (l line) cells() []string {
	if l.open {
		return []string{l.work, "-", "-", "-", l.bar, "not yet"}
	}
	holds := "yes"
	if !l.holds {
		holds = "NO"
	}
	return []string{l.work, l.spread(l.ours), l.spread(l.limit), number(l.ratio), l.bar, holds}
}

// spread is the median and, where there are several figures, the least and the most.
func (l line) spread(s sample) string {
	if len(s.all()) < 2 {
		return l.unit(s.median())
	}
	median, least, most := l.unit(s.median()), l.unit(s.least()), l.unit(s.most())
	m, mu := apart(median)
	if a, au := apart(least); au == mu {
		least = a
	}
	if b, bu := apart(most); bu == mu {
		most = b
	}
	return m + " (" + least + ".." + most + ")" + mu
}

// apart cuts a figure into its number and its unit.
func apart(figure string) (number, unit string) {
	if at := strings.IndexAny(figure, " /"); at >= 0 {
		return figure[:at], figure[at:]
	}
	return figure, ""
}

// machineMemory is the memory of the machine, where the kernel tells it.
func machineMemory() string {
	text, err := os.ReadFile("/proc/meminfo")
	var kb float64
	if _, scanned := fmt.Sscanf(string(text), "MemTotal: %f kB", &kb); err != nil || scanned != nil {
		return "memory unknown"
	}
	return fmt.Sprintf("%.0f GB of memory", kb/(1<<20))
}

// report prints the tables as Markdown, which can be pasted and reads as plain text too. The first line says where and when.
func (b *bench) report(out io.Writer) {
	if b.serving {
		if b.server != nil {
			b.keepPeak()
		}
		if b.peak > 0 {
			b.within("peak memory of dg over the whole run", one(float64(b.peak)), 256<<20, inMegabytes)
		}
	}
	fmt.Fprintf(out, "\n%s plays by %s players over %d days; PostgreSQL %s with dg's settings, %s, %d cores, %s, %s\n\n",
		thousands(int64(b.main.Plays)), thousands(int64(b.main.Players)), setDays, b.version, runtime.Version(), runtime.NumCPU(),
		machineMemory(), time.Now().UTC().Format(time.DateOnly))
	rows := [][]string{{"work", "ours: median (least..most)", "limit", "ratio", "bar", "holds"}}
	for _, l := range b.lines {
		rows = append(rows, l.cells())
	}
	if len(b.lines) > 0 {
		printTable(out, rows)
	}
	for _, t := range b.tables {
		fmt.Fprintf(out, "\n%s\n\n", t.title)
		printTable(out, t.rows)
	}
	fmt.Fprintln(out)
	for _, n := range b.notes {
		fmt.Fprintln(out, "-", n)
	}
	fmt.Fprintf(out, "- the run took %s\n", seconds(time.Since(b.began)))
}

// printTable prints rows as a Markdown table whose columns line up as plain text too.
func printTable(out io.Writer, rows [][]string) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	for i, row := range rows {
		fmt.Fprintf(w, "| %s\t|\n", strings.Join(row, "\t| "))
		if i == 0 {
			dashes := make([]string, len(row))
			for j := range dashes {
				dashes[j] = "---"
			}
			fmt.Fprintf(w, "| %s\t|\n", strings.Join(dashes, "\t| "))
		}
	}
	_ = w.Flush() // an error of it is one of out, which is a terminal or a file
}

// number writes a ratio with three digits that count.
func number(v float64) string {
	switch {
	case v >= 100, v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// thousands writes a whole number with commas.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
