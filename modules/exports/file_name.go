package exports

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"dg/modules/reports"
)

const maxSlug = 80 // bytes of a file name

// fileName names the fork's slug, the period and the group by its id, which no other group has. It is ASCII that needs no quotes,
// made from the request and the slug alone: the name of a group would tell suppressed answers apart.
func fileName(slug string, q reports.Query) string {
	name := folded(slug) + "_" + q.Period.String()
	if q.GroupID != "" {
		name += "_group-" + folded(q.GroupID)
	}
	return name + ".csv"
}

// withoutMarks are letters with a stroke, and ligatures, which do not decompose.
var withoutMarks = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L", "đ", "d", "Đ", "D")

// folded returns the text without accents in ASCII, a dash for everything else, or "plays" where nothing is left.
func folded(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(withoutMarks.Replace(text)) {
		switch {
		case b.Len() == maxSlug:
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if name := strings.TrimSuffix(b.String(), "-"); name != "" {
		return name
	}
	return "plays"
}
