package exports

import (
	"strings"

	"dg/modules/reports"
	"dg/platform/input"
)

const maxSlug = 80 // bytes of a file name

// fileName joins the fork's slug, the period and the group's id, in ASCII that needs no quoting. It
// omits the group's name, which would tell suppressed answers apart.
func fileName(slug string, q reports.Query) string {
	name := foldToASCII(slug) + "_" + q.Period.String()
	if q.GroupID != "" {
		name += "_group-" + foldToASCII(q.GroupID)
	}
	return name + ".csv"
}

// foldToASCII returns the text in ASCII without accents, with a dash for other characters, or "plays" if
// nothing is left.
func foldToASCII(text string) string {
	var b strings.Builder
	for _, r := range input.WithoutAccents(text) {
		switch {
		case b.Len() == maxSlug:
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if name := strings.TrimSuffix(b.String(), "-"); name != "" {
		return name
	}
	return "plays"
}
