package input

import "unicode"

// IsPrintable reports whether s has no invisible characters, so that names that look equal are
// equal, except for homoglyphs. Joiners are allowed between letters of scripts that use them, and
// in emoji.
func IsPrintable(s string) bool {
	runes := []rune(s)
	for i, r := range runes {
		before, after := around(runes, i)
		switch {
		case r == zeroWidthNonJoiner, r == zeroWidthJoiner && !isPictograph(after):
			if !isJoined(before) || !isJoined(after) {
				return false
			}
		case r == zeroWidthJoiner:
			if !isPictograph(before) {
				return false
			}
		case r == textStyle, r == emojiStyle:
			if !isPictograph(before) && after != keycap {
				return false
			}
		case !unicode.IsGraphic(r), r == blankBraille,
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r),
			unicode.Is(unicode.Variation_Selector, r):
			return false
		}
	}
	return true
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	textStyle          = '\ufe0e'
	emojiStyle         = '\ufe0f'
	keycap             = '\u20e3'
	blankBraille       = '\u2800'
)

// around returns the characters before and after one, or 0.
func around(runes []rune, i int) (before, after rune) {
	if i > 0 {
		before = runes[i-1]
	}
	if i+1 < len(runes) {
		after = runes[i+1]
	}
	return before, after
}

// isPictograph reports whether r can be part of an emoji: a symbol, a skin tone or the style of
// one.
func isPictograph(r rune) bool {
	return r == emojiStyle ||
		r > unicode.MaxASCII && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

// isJoined reports whether r is a letter of a script whose letters are joined, or a mark on one.
func isJoined(r rune) bool {
	if unicode.IsMark(r) {
		return r != textStyle && r != emojiStyle
	}
	return unicode.IsLetter(r) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul)
}
