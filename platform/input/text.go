package input

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"
)

// IsPrintable reports whether s has no invisible characters except spaces: names that differ only
// by those look equal. It accepts homoglyphs, and joiners and variation selectors where mayJoin
// does.
func IsPrintable(s string) bool {
	var previous rune
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Join_Control, unicode.Variation_Selector):
			if !mayJoin(previous) {
				return false
			}
		case !unicode.IsGraphic(r), r == blankBraille,
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return false
		}
		previous = r
	}
	return !unicode.Is(unicode.Join_Control, previous)
}

const blankBraille = '\u2800'

// mayJoin reports whether a joiner or variation selector may follow r: a symbol, or a letter of a
// script that uses them.
func mayJoin(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.L, unicode.M, unicode.S) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul)
}

// ligatureReplacer replaces letters with a stroke, ligatures and apostrophes, which Unicode does not decompose.
var ligatureReplacer = strings.NewReplacer("’", "'", "ʼ", "'", "ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe",
	"Œ", "OE", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L", "đ", "d", "Đ", "D")

// Fold returns text for search, without case, accents and outer spaces: Łódź becomes lodz.
func Fold(text string) string {
	decomposed := norm.NFKD.String(ligatureReplacer.Replace(text))
	plain := strings.TrimSpace(runes.Remove(runes.In(unicode.Mn)).String(decomposed))
	return strings.ToLower(strings.ToUpper(plain)) // some letters have two small forms: σ and ς
}

// Lower returns text in lower case and NFC, for comparison.
func Lower(text string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(text))) }
