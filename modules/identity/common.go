package identity

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dg/platform/apperr"
)

// minUncommon is how many characters a new password has at least beside what is common.
const minUncommon = 5

// commonWords are what the passwords that everybody thinks of are made of, in the languages of the product, the longer ones
// first. The list is our own and short: at least 12 characters are asked for, so that single words are out already.
var commonWords = longestFirst(strings.Fields(`
	password passwort passw0rd kennwort motdepasse contrasena contraseña clave senha parola
	letmein welcome willkommen bienvenue bienvenido bemvindo changeme secret geheim login signin access admin administrator root user guest test demo example
	iloveyou sunshine princess dragon monkey football baseball superman batman master shadow michael jennifer computer internet
	spring summer autumn winter january february march april june july august september october november december
	monday tuesday wednesday thursday friday saturday sunday
	correcthorsebatterystaple trustno1 whatever starwars
	dg reporting training company organisation organization`))

// runs are rows of keys and of the alphabet: three and more neighbours in either direction are common.
var runs = func() []string {
	rows := []string{
		"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm,./",
		"qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "!@#$%^&*()",
	}
	for _, row := range slices.Clone(rows) {
		back := []rune(row)
		slices.Reverse(back)
		rows = append(rows, string(back))
	}
	return rows
}()

func longestFirst(words []string) []string {
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// year is what is put behind a word once a year.
var year = regexp.MustCompile(`(19|20)[0-9]{2}`)

// checkUncommon refuses a new password that is common, or is the person's e-mail. Errors: ErrValidation with the field "new".
func checkUncommon(password, emailKey string) error {
	folded := EmailKey(password)
	local, _, _ := strings.Cut(emailKey, "@")
	switch {
	case emailKey != "" && (folded == emailKey || strings.Trim(folded, "0123456789!?.*#-_ ") == local):
		return apperr.NewField("new", "The new password is your e-mail. Use one that cannot be guessed from it.")
	case repeats(folded) || utf8.RuneCountInString(uncommon(year.ReplaceAllString(strings.Join(strings.Fields(folded), ""), ""))) < minUncommon:
		return apperr.NewField("new", "The new password is too common. Use several unrelated words, or let a password manager make one.")
	}
	return nil
}

// repeats says whether the text is one part of at most half its length, again and again.
func repeats(text string) bool {
	return text != "" && strings.Contains((text + text)[1:2*len(text)-1], text)
}

// likeLetters undoes the usual replacements.
var likeLetters = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// uncommon is what is left of a text without common words, rows, repeated characters and spaces.
func uncommon(text string) string {
	for _, spelled := range []string{text, likeLetters.Replace(text)} {
		for _, word := range commonWords {
			if i := strings.Index(spelled, word); i >= 0 && len(spelled) == len(text) {
				return uncommon(text[:i]) + uncommon(text[i+len(word):])
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

// runLength is how many bytes at the front of the text are neighbours in a row, or the same character.
func runLength(text string) int {
	longest := 0
	for _, row := range runs {
		for n := min(len(text), len(row)); n > max(longest, 2); n-- {
			if strings.Contains(row, text[:n]) {
				longest = n
			}
		}
	}
	first, size := utf8.DecodeRuneInString(text)
	same := len(text) - len(strings.TrimLeft(text, string(first)))
	if same >= 3*size {
		longest = max(longest, same)
	}
	return longest
}
