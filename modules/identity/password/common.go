package password

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dg/platform/apperr"
	"dg/platform/input"
)

// minUncommon is how many characters of a new password must lie outside of common words.
const minUncommon = 5

// commonWords are the parts of common passwords, in the languages of the product, longest first.
// The list is short, because a single word is shorter than 12 characters.
var commonWords = longestFirst(strings.Fields(commonList))

//go:embed common.txt
var commonList string

// year matches the years that people append to a word.
var year = regexp.MustCompile(`(19|20)[0-9]{2}`)

// unleet undoes the usual replacements of letters.
var unleet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$",
	"s", "5", "s", "7", "t")

func longestFirst(words []string) []string {
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// Check refuses a new password that is too short or too long, that is common, or that is made of the
// person's e-mail, of the names and of what is common. Errors: apperr.Validation with the field "new".
func Check(password, email string, names ...string) error {
	if err := checkForm(password); err != nil {
		return err
	}
	folded := input.Lower(password)
	text := year.ReplaceAllString(strings.Join(strings.Fields(folded), ""), "")
	if repeats(folded) || uncommon(text, commonWords) < minUncommon {
		return apperr.NewField("new",
			"The new password is too common. Use several unrelated words, or a password manager.")
	}
	own := wordsOf(append(names, email))
	if uncommon(text, longestFirst(append(own, commonWords...))) < minUncommon {
		return apperr.NewField("new",
			"The new password is made of your name, your e-mail or your organisation’s name. "+
				"Use one that cannot be guessed from them.")
	}
	return nil
}

// wordsOf returns the words of names, with and without accents. It drops words of two letters, which
// occur in any password.
func wordsOf(names []string) (words []string) {
	between := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}
	for _, name := range names {
		for _, word := range strings.FieldsFunc(input.Lower(name)+" "+input.Fold(name), between) {
			if len(word) > 2 {
				words = append(words, word)
			}
		}
	}
	return words
}

// repeats reports whether the text is a repetition of one part.
func repeats(text string) bool {
	return text != "" && strings.Contains((text + text)[1:2*len(text)-1], text)
}

// uncommon counts the characters outside of the words, which are longest first.
func uncommon(text string, words []string) int {
	var pairs []string
	for _, word := range words {
		pairs = append(pairs, word, "")
	}
	without := strings.NewReplacer(pairs...)
	return utf8.RuneCountInString(without.Replace(unleet.Replace(without.Replace(text))))
}
