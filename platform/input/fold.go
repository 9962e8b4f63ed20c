package input

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"
)

// undecomposed are letters with a stroke, and ligatures, which Unicode does not decompose.
var undecomposed = strings.NewReplacer("ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ",
	"OE", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L", "đ", "d", "Đ", "D")

// WithoutAccents returns the text in its plainest letters: Łódź is Lodz, ﬁ is fi.
func WithoutAccents(text string) string {
	return runes.Remove(runes.In(unicode.Mn)).String(norm.NFKD.String(undecomposed.Replace(text)))
}

// Fold returns the text as searches compare it: without case, accents, and spaces around it.
func Fold(text string) string {
	plain := strings.TrimSpace(WithoutAccents(text))
	return strings.ToLower(strings.ToUpper(plain)) // some letters have two small forms
}

// Lower returns a text in lower case and Unicode's NFC: e-mails and passwords are compared so.
func Lower(text string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(text))) }
