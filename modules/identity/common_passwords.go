package identity

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dg/platform/apperr"
	"dg/platform/input"
)

// minUncommon is how many characters of a new password are not part of anything common, at least.
const minUncommon = 5

// commonWords are the parts of common passwords, in the languages of the product, longest first. The list is short: with at
// least 12 characters a single word is out already.
var commonWords = longestFirst(strings.Fields(`
	password passwort passw0rd kennwort motdepasse contrasena contraseña clave senha parola
	letmein welcome willkommen bienvenue bienvenido bemvindo changeme secret geheim login signin access admin administrator root user guest test demo example
	iloveyou sunshine princess dragon monkey football baseball superman batman master shadow michael jennifer computer internet
	spring summer autumn winter january february march april june july august september october november december
	monday tuesday wednesday thursday friday saturday sunday
	correcthorsebatterystaple trustno1 whatever starwars
	dg reporting training company organisation organization`))

// rows are the alphabet and the rows of keyboards, in both directions: three and more neighbours are common.
var rows = bothDirections(
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm,./",
	"qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "!@#$%^&*()",
)

// year is what people append to a word.
var year = regexp.MustCompile(`(19|20)[0-9]{2}`)

// unleet undoes the usual replacements of letters.
var unleet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

func longestFirst(words []string) []string {
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

func bothDirections(rows ...string) []string {
	for _, row := range rows {
		back := []byte(row)
		slices.Reverse(back)
		rows = append(rows, string(back))
	}
	return rows
}

// checkUncommon refuses a new password that is the person's e-mail, is common, or is made of the
// names and what is common. Errors: apperr.Validation with the field "new".
func checkUncommon(password, email string, names ...string) error {
	folded, key := EmailKey(password), EmailKey(email)
	local, _, _ := strings.Cut(key, "@")
	if key != "" && (folded == key || strings.Trim(folded, "0123456789!?.*#-_ ") == local) {
		return apperr.NewField("new", "The new password is your e-mail. Use one that cannot be guessed from it.")
	}
	text := year.ReplaceAllString(strings.Join(strings.Fields(folded), ""), "")
	if repeats(folded) || utf8.RuneCountInString(uncommon(text, commonWords)) < minUncommon {
		return apperr.NewField("new", "The new password is too common. Use several unrelated words, or a password manager.")
	}
	words := longestFirst(append(wordsOf(names), commonWords...))
	if utf8.RuneCountInString(uncommon(text, words)) < minUncommon {
		return apperr.NewField("new", "The new password is made of your name or your organisation’s. "+
			"Use one that cannot be guessed from them.")
	}
	return nil
}

// wordsOf returns the words of names, as they are and without accents. Two letters are in any
// password: they are left out.
func wordsOf(names []string) (words []string) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	for _, name := range names {
		for _, spelled := range []string{EmailKey(name), EmailKey(input.Fold(name))} {
			for _, word := range strings.FieldsFunc(spelled, between) {
				if len(word) > 2 {
					words = append(words, word)
				}
			}
		}
	}
	return words
}

// repeats reports whether the text consists of one part, at most half as long, again and again.
func repeats(text string) bool {
	return text != "" && strings.Contains((text + text)[1:2*len(text)-1], text)
}

// uncommon returns the text without the words, which are longest first, rows, repeated characters and spaces.
func uncommon(text string, words []string) string {
	for _, spelled := range []string{text, unleet.Replace(text)} { // of equal length
		for _, word := range words {
			if i := strings.Index(spelled, word); i >= 0 {
				return uncommon(text[:i], words) + uncommon(text[i+len(word):], words)
			}
		}
	}
	var left strings.Builder
	for text != "" {
		n := runLength(text)
		if n < 3 {
			r, size := utf8.DecodeRuneInString(text)
			if n = size; !unicode.IsSpace(r) {
				left.WriteRune(r)
			}
		}
		text = text[n:]
	}
	return left.String()
}

// runLength is how many bytes at the front of the text are neighbours in a row, or one character repeated.
func runLength(text string) int {
	longest := 0
	for _, row := range rows {
		for n := min(len(text), len(row)); n > max(longest, 2); n-- {
			if strings.Contains(row, text[:n]) {
				longest = n
			}
		}
	}
	first, size := utf8.DecodeRuneInString(text)
	if same := len(text) - len(strings.TrimLeft(text, string(first))); same >= 3*size {
		longest = max(longest, same)
	}
	return longest
}
