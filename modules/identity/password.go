package identity

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/sync/semaphore"
	"golang.org/x/text/unicode/norm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/input"
)

// These bounds apply to new passwords. No character class is required.
const (
	minPasswordLength = 12 // in code points
	maxPasswordBytes  = 1000
	minUncommon       = 6 // minimum of countUncommon
)

// commonWords is a short list, because most common passwords are shorter than minPasswordLength.
var commonWords = strings.Fields(commonText)

//go:embed common.txt
var commonText string

var leetToLetters = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o",
	"$", "s", "5", "s", "7", "t")

// normalise returns the password in NFC for the hash: keyboards compose accents differently.
func normalise(password string) string { return norm.NFC.String(password) }

func checkPassword(password string, user userRow) error {
	const field = "new"
	text := normalise(password)
	switch {
	case !utf8.ValidString(text):
		return apperr.NewField(field, "The new password contains invalid characters. Use a different one.")
	case utf8.RuneCountInString(text) < minPasswordLength:
		return apperr.NewField(field, "The new password is too short. Use at least %d characters.",
			minPasswordLength)
	case len(password) > maxPasswordBytes:
		return apperr.NewField(field, "The new password is too long. Use at most %d bytes.", maxPasswordBytes)
	case countUncommon(password, wordsOf(user.Name, user.Email)) < minUncommon:
		return apperr.NewField(field, "The new password is easy to guess: it is common, or made of "+
			"your name or e-mail. Use several unrelated words, or a password manager.")
	}
	return nil
}

// wordsOf splits names into words, with and without accents. It drops words of one or two bytes,
// which many good passwords contain.
func wordsOf(names ...string) (words []string) {
	isSeparator := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}
	for _, name := range names {
		for _, word := range strings.FieldsFunc(input.Lower(name)+" "+input.Fold(name), isSeparator) {
			if len(word) > 2 {
				words = append(words, word)
			}
		}
	}
	return words
}

// countUncommon counts the distinct characters outside commonWords and ownWords. It also finds words
// in which digits or signs replace letters.
func countUncommon(password string, ownWords []string) int {
	words := slices.Concat(ownWords, commonWords)
	// longer words first, because a replacer takes the first pair that matches
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(words))
	for _, word := range words {
		pairs = append(pairs, word, "")
	}
	remover := strings.NewReplacer(pairs...)
	text := strings.Join(strings.Fields(input.Lower(password)), "")
	text = leetToLetters.Replace(remover.Replace(text))
	distinct := map[rune]bool{}
	for _, r := range remover.Replace(text) {
		distinct[r] = true
	}
	return len(distinct)
}

// ChangePassword replaces the person's password. The session continues under a new token; the
// person's other sessions end. Errors: apperr.Validation with the field "new", ErrWrongCode, those
// of withPassword.
func (s *Service) ChangePassword(
	ctx context.Context, token string, proof Proof, newPassword string,
) (Session, error) {
	row, err := s.signedInSession(ctx, token)
	if err != nil {
		return Session{}, err
	}
	if err := checkPassword(newPassword, row.User); err != nil {
		return Session{}, err
	}
	return s.withPassword(ctx, token, proof, func(c *change) error {
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		hash, err := s.passwords.hash(ctx, newPassword)
		if err != nil {
			return err
		}
		return c.rotate(audit.PasswordChanged,
			map[string]any{"password_hash": hash, "password_since": c.now})
	})
}

// hashCost is the cost of new hashes: OWASP's minimum for argon2id.
var hashCost = argon2id.Params{
	Memory:      19456, // in KiB
	Iterations:  2,
	Parallelism: 1,
	SaltLength:  16,
	KeyLength:   32,
}

// These bounds apply to newly imported hashes: a sign-in with a costlier hash would delay others.
const (
	maxImportedMemory      = 64 << 10 // in KiB
	maxImportedParallelism = 4
	maxImportedWork        = 389_120 // memory in KiB × iterations: ten times that of hashCost
)

// The bounds of stored hashes are higher, because version 1.0.0 imported costlier hashes.
const (
	maxMemory      = 256 << 10 // in KiB
	maxIterations  = 10
	maxParallelism = 16
)

// PasswordHashFormat describes the valid password hashes, for error messages.
const PasswordHashFormat = "argon2id in PHC form ($argon2id$v=19$m=…,t=…,p=…$salt$hash; " +
	"m up to 65536, t up to 10, p up to 4, m·t up to 389120)"

// ValidPasswordHash reports whether an import may store the text as a password hash. It refuses
// parameters that costOf ignores, such as data, because no password would match.
func ValidPasswordHash(hash string) bool {
	p := costOf(hash)
	return p != nil && p.Memory <= maxImportedMemory && p.Parallelism <= maxImportedParallelism &&
		p.Memory*p.Iterations <= maxImportedWork && strings.Count(hash, ",") == 2
}

// PasswordMatches reports whether the password has the hash. No password matches a malformed or too
// costly hash.
func PasswordMatches(hash, password string) bool {
	if costOf(hash) == nil {
		return false
	}
	matches, err := argon2id.ComparePasswordAndHash(normalise(password), hash)
	return err == nil && matches
}

func costOf(hash string) *argon2id.Params {
	p, _, _, err := argon2id.DecodeHash(hash)
	if err != nil || p.Parallelism < 1 || p.Parallelism > maxParallelism ||
		p.Iterations < 1 || p.Iterations > maxIterations ||
		p.Memory < 8*uint32(p.Parallelism) || p.Memory > maxMemory ||
		p.SaltLength < 8 || p.SaltLength > 64 || p.KeyLength < 16 || p.KeyLength > 64 {
		return nil
	}
	return p
}

// hasher computes hashes. Concurrent computations share maxMemory, the most that one hash may need.
// Each computation acquires at least minShare, so that half of the processors serve other requests.
type hasher struct {
	cost     argon2id.Params     // cost of new hashes
	memory   *semaphore.Weighted // maxMemory KiB
	minShare uint32              // in KiB
}

func newHasher(cost argon2id.Params) *hasher {
	// half of the processors: dg serve sets GOMAXPROCS to twice their number by default
	concurrentHashes := uint32(max(1, runtime.GOMAXPROCS(0)/4))
	return &hasher{cost, semaphore.NewWeighted(maxMemory), maxMemory / concurrentHashes}
}

// matches reports whether the password has the hash. Without a valid hash it computes another one,
// so that the response time does not reveal unknown accounts.
func (h *hasher) matches(ctx context.Context, hash *string, password string) (bool, error) {
	var cost *argon2id.Params
	if hash != nil && len(password) <= maxPasswordBytes { // bounds the work; no valid password is longer
		cost = costOf(*hash)
	}
	if cost == nil {
		_, err := h.hash(ctx, "")
		return false, err
	}
	release, err := h.acquire(ctx, *cost)
	if err != nil {
		return false, err
	}
	defer release()
	return PasswordMatches(*hash, password), nil
}

func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx, h.cost)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(normalise(password), &h.cost)
}

func (h *hasher) acquire(ctx context.Context, cost argon2id.Params) (release func(), err error) {
	share := int64(max(cost.Memory, h.minShare))
	if err := h.memory.Acquire(ctx, share); err != nil {
		return nil, fmt.Errorf("identity: wait for a hash: %w", err)
	}
	return func() { h.memory.Release(share) }, nil
}
