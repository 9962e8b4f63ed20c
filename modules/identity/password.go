package identity

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/input"
)

// These bounds hold for new passwords. No particular kinds of characters are required.
const (
	minPassword = 12   // code points
	maxPassword = 1000 // bytes
	minUncommon = 6    // different characters outside of common words, name and e-mail
)

// commonWords is short, because most common passwords are shorter than minPassword.
var commonWords = strings.Fields(commonText)

//go:embed common.txt
var commonText string

var unleet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$",
	"s", "5", "s", "7", "t")

// normalise returns a password in NFC, as it is hashed: keyboards compose accents differently.
func normalise(password string) string { return norm.NFC.String(password) }

func checkPassword(password string, of userRow) error {
	const field = "new"
	text := normalise(password)
	switch {
	case !utf8.ValidString(text):
		return apperr.NewField(field, "The new password contains invalid characters. Use a different one.")
	case utf8.RuneCountInString(text) < minPassword:
		return apperr.NewField(field, "The new password is too short. Use at least %d characters.",
			minPassword)
	case len(password) > maxPassword:
		return apperr.NewField(field, "The new password is too long. Use at most %d bytes.", maxPassword)
	case countUncommon(password, wordsOf(of.Name, of.Email)) < minUncommon:
		return apperr.NewField(field, "The new password is easy to guess: it is common, or made of "+
			"your name or e-mail. Use several unrelated words, or a password manager.")
	}
	return nil
}

// wordsOf splits names into words. It drops those of up to two bytes, which may occur by chance.
func wordsOf(names ...string) (words []string) {
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

// countUncommon returns the number of different characters outside of common words and own.
func countUncommon(password string, own []string) int {
	words := slices.Concat(own, commonWords)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) }) // longest first
	pairs := make([]string, 0, 2*len(words))
	for _, word := range words {
		pairs = append(pairs, word, "")
	}
	without := strings.NewReplacer(pairs...)
	text := strings.Join(strings.Fields(input.Lower(password)), "")
	text = unleet.Replace(without.Replace(text))
	different := map[rune]bool{}
	for _, r := range without.Replace(text) {
		different[r] = true
	}
	return len(different)
}

// ChangePassword replaces the person's password. The session of the token continues under the
// returned token; the person's other sessions end. Errors: apperr.Validation with the field "new",
// ErrWrongCode, those of withPassword.
func (s *Service) ChangePassword(
	ctx context.Context, token string, proof Proof, replacement string,
) (Session, error) {
	own, err := s.signedInSession(ctx, token)
	if err != nil {
		return Session{}, err
	}
	if err := checkPassword(replacement, own.User); err != nil {
		return Session{}, err
	}
	return s.withPassword(ctx, token, proof, func(c *change) error {
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		hash, err := s.passwords.hash(ctx, replacement)
		if err != nil {
			return err
		}
		return c.rotate(audit.PasswordChanged,
			map[string]any{"password_hash": hash, "password_since": c.now})
	})
}
