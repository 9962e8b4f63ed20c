package input

import "unicode"

// IsPrintable reports whether s has no invisible characters, so that names that look equal are
// equal, except for homoglyphs. Joiners and the style of an emoji may follow what they belong to: a
// letter or symbol beyond Latin.
func IsPrintable(s string) bool {
	var before rune
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Join_Control, unicode.Variation_Selector):
			if !isJoined(before) {
				return false
			}
		case !unicode.IsGraphic(r), r == blankBraille,
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return false
		}
		before = r
	}
	return !unicode.Is(unicode.Join_Control, before)
}

const blankBraille = '\u2800'

// isJoined reports whether r is a letter, mark or symbol of a script or an emoji with invisible
// characters.
func isJoined(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.L, unicode.M, unicode.S) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul)
}
