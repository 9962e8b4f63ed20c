// Package doctor checks settings, machine and database, and says how to fix what is wrong. It
// changes nothing. dg serve runs the same checks when it starts, and stops at a failure.
package doctor

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Verdict is how bad a finding is.
type Verdict string

// The verdicts. A failure keeps dg serve from starting; a warning needs a decision of the operator.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Failure Verdict = "failure"
)

// Finding is the result of one check.
type Finding struct {
	Check   string
	Verdict Verdict
	Says    string
	Fix     string // what to do; empty for OK
}

func ok(check, says string, args ...any) Finding {
	return Finding{Check: check, Verdict: OK, Says: fmt.Sprintf(says, args...)}
}

// Warn is a finding that needs a decision.
func Warn(check, says, fix string) Finding {
	return Finding{Check: check, Verdict: Warning, Says: says, Fix: fix}
}

// Fail is a finding that keeps dg serve from starting.
func Fail(check, says, fix string) Finding {
	return Finding{Check: check, Verdict: Failure, Says: says, Fix: fix}
}

// Err is the finding as an error, in the words of dg doctor.
func (f Finding) Err() error {
	return fmt.Errorf("%s: %s", f.Says, strings.ToLower(f.Fix[:1])+strings.TrimSuffix(f.Fix[1:], "."))
}

// Settle logs the warnings and returns the failures, for dg serve.
func Settle(log *slog.Logger, findings []Finding) (err error) {
	for _, f := range findings {
		switch f.Verdict {
		case Warning:
			log.Warn(f.Says, "check", f.Check, "fix", f.Fix)
		case Failure:
			err = errors.Join(err, f.Err())
		}
	}
	return err
}

// Print writes the findings, one a line, each with its fix below, and returns how many are
// failures.
func Print(w io.Writer, findings []Finding) (failures int) {
	for _, f := range findings {
		fmt.Fprintf(w, "%-8s %-12s %s\n", f.Verdict, f.Check, f.Says)
		if f.Fix != "" {
			fmt.Fprintf(w, "%21s Fix: %s\n", "",
				strings.ReplaceAll(f.Fix, "\n", "\n"+strings.Repeat(" ", 27)))
		}
		if f.Verdict == Failure {
			failures++
		}
	}
	return failures
}
