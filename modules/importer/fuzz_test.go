package importer

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzLine looks for lines that panic, for accepted lines that are not JSON, and for refused JSON.
func FuzzLine(f *testing.F) {
	for line := range strings.SplitSeq(fill(world), "\n") {
		f.Add([]byte(line))
	}
	for _, rule := range lineRules {
		f.Add([]byte(fill(rule.line)))
	}
	d := newDecoder(Importer{}.formats())
	f.Fuzz(func(t *testing.T, line []byte) {
		errors := d.line(1, line)
		blank := strings.Trim(string(line), " \t\r\n") == ""
		valid := json.Valid(line) && utf8.Valid(line)
		if len(errors) == 0 && !valid && !blank {
			t.Errorf("accepted, but not JSON: %q", line)
		}
		for _, e := range errors {
			limit := !strings.HasPrefix(strings.TrimLeft(string(line), " \t\r\n"), "{") ||
				strings.Contains(e.Got, "surrogate") ||
				strings.Contains(e.Got, "maximum depth")
			if e.Field == "" && valid && !limit {
				t.Errorf("JSON, but refused: %q: %v", line, e)
			}
			if e.Expected == "" || !utf8.ValidString(e.Error()) ||
				strings.ContainsAny(e.Error(), "\x00\n\r\x1b\u202e") {
				t.Errorf("not escaped: %q", e.Error())
			}
		}
	})
}
