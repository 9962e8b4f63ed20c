package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// results are the comparisons of a run.
type results struct{ rows []row }

// row is a comparison. Its slices have a value per round; ours and baseline are in milliseconds.
type row struct {
	title                  string
	ours, baseline, ratios []float64
	maxRatio               float64
}

// write writes the results as Markdown.
func (r *results) write(out io.Writer) {
	fmt.Fprintf(out, "\n%s, %d cores, %s\n\n", runtime.Version(), runtime.NumCPU(),
		time.Now().UTC().Format(time.DateOnly))
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| work; baseline\t| ours, ms\t| baseline, ms\t| ratio (min..max)\t| at most\t| holds\t|\n")
	fmt.Fprint(w, "|---\t|---\t|---\t|---\t|---\t|---\t|\n")
	for _, row := range r.rows {
		ratio := median(row.ratios)
		holds := "yes"
		if ratio > row.maxRatio {
			holds = "NO"
		}
		fmt.Fprintf(w, "| %s\t| %.4g\t| %.4g\t| %.2f (%.2f..%.2f)\t| %.2f\t| %s\t|\n", row.title,
			median(row.ours), median(row.baseline), ratio, slices.Min(row.ratios),
			slices.Max(row.ratios), row.maxRatio, holds)
	}
	_ = w.Flush() // fails only if out fails
}
