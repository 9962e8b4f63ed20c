package importer

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzLine looks for lines that panic, and for accepted lines that are not JSON.
func FuzzLine(f *testing.F) {
	for line := range strings.SplitSeq(fill(world), "\n") {
		f.Add([]byte(line))
	}
	for _, rule := range lineRules {
		f.Add([]byte(fill(rule.line)))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newRun(Importer{}, nil, nil)
		r.line = 2
		r.readLine(line)
		blank := strings.Trim(string(line), " \t\r\n") == ""
		valid := json.Valid(line) && utf8.Valid(line)
		if len(r.errors) == 0 && !valid && !blank {
			t.Errorf("accepted, but not JSON: %q", line)
		}
		for _, text := range r.errors {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\n\r\x1b\u202e") {
				t.Errorf("not escaped: %q", text)
			}
		}
	})
}
