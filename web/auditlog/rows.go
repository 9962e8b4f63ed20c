package auditlog

import (
	"maps"
	"time"

	"dg/modules/audit"
)

// auditRows are the entries of a page, and what makes rows of them: an export is one row, at its
// start, and equal refusals and failed sign-ins are one.
type auditRows struct {
	entries []audit.Entry
	others  map[int64]audit.Entry // the other entry of an export
	filter  audit.Filter
	open    int64 // the entry that is open, or 0
	now     time.Time
}

// auditLine is an entry, with the end of its export and the equal refusals that are folded into it.
type auditLine struct {
	audit.Entry
	end  *audit.Entry // nil: the export has not ended
	lost bool         // whether an export without an end can no longer be running
	same int          // how many equal ones there are, itself included
	last time.Time    // of the oldest of them
}

// longestExport is after how long an export without an end was interrupted: it takes half an hour
// at most.
const longestExport = 31 * time.Minute

func isExport(e audit.Entry) bool {
	return e.Action == audit.ExportStarted || e.Action == audit.ExportFinished
}

// folded are the rows. Every entry of the page is in one of them, or is the end of an export whose
// start is on this page or another of the same filters.
func (r auditRows) folded() []auditLine {
	var lines []auditLine
	first := map[refusal]int{}
	unfolded := r.unfolded()
	for _, e := range r.entries {
		line := auditLine{Entry: e, same: 1, last: e.At}
		same, folds := refusalOf(e)
		if at, seen := first[same]; folds && seen && same != unfolded {
			lines[at].same++
			lines[at].last = e.At
			continue
		}
		if isExport(e) {
			if other, ok := r.others[e.ID]; e.Action == audit.ExportFinished && e.ID != r.open &&
				ok && r.lists(other) {
				continue
			}
			r.join(&line)
		}
		first[same] = len(lines)
		lines = append(lines, line)
	}
	return lines
}

// lists reports whether the filters leave the start of an export whose end they leave.
func (r auditRows) lists(start audit.Entry) bool {
	return r.filter.Action == "" && !start.At.Before(r.filter.From) &&
		(r.filter.To.IsZero() || start.At.Before(r.filter.To))
}

// join adds the other entry of an export to its row.
func (r auditRows) join(line *auditLine) {
	other, ok := r.others[line.ID]
	if line.Action == audit.ExportFinished {
		end := line.Entry
		line.end = &end
	} else if ok {
		line.end = &other
	}
	line.lost = line.end == nil && r.now.Sub(line.At) > longestExport
	if ok {
		line.Details = maps.Clone(line.Details)
		maps.Copy(line.Details, other.Details)
	}
}

// refusal is what equal refusals have in common.
type refusal struct {
	actor  string
	reason audit.Reason
	path   string
}

// refusalOf returns what a refusal has in common with equal ones. An entry that counts others is
// not folded.
func refusalOf(e audit.Entry) (refusal, bool) {
	if e.Action != audit.KeyRefused ||
		e.Details[audit.NotRecorded] != nil || e.Details[audit.CountLost] != nil {
		return refusal{}, false
	}
	return refusal{e.Actor.ID, e.Reason, e.Request.Path}, true
}

// unfolded are the refusals that are shown one by one: those like the open one.
func (r auditRows) unfolded() refusal {
	for _, e := range r.entries {
		if e.ID == r.open {
			same, _ := refusalOf(e)
			return same
		}
	}
	return refusal{}
}

// exportState returns the state of an export in words.
func (n nameIndex) exportState(line auditLine) string {
	switch {
	case line.end != nil:
		return exportOutcome(line.Details)
	case line.lost:
		return "Interrupted"
	}
	return "Running"
}

// ended is the end of an export in an open entry.
func (n nameIndex) ended(line auditLine) []detail {
	switch {
	case !isExport(line.Entry):
		return nil
	case line.end == nil:
		return []detail{{Term: "State", Text: n.exportState(line)}}
	}
	return []detail{{Term: "Ended", At: &line.end.At}}
}
