package identity

import (
	"crypto/rand"
	"encoding/base32"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"golang.org/x/text/unicode/norm"
)

// Clocks drift, so codes of the previous and the next step are accepted too.
const stepSeconds = 30

// TOTPIssuer is the name under which an authenticator app shows the codes.
const TOTPIssuer = "DG"

const minSecretSize = 10 // bytes of an imported TOTP secret

// TOTPSecretFormat describes a TOTP secret, for error messages.
const TOTPSecretFormat = "a secret of at least 80 bits in base32"

var base32Secret = base32.StdEncoding.WithPadding(base32.NoPadding)

// ParseTOTPSecret returns a secret in upper case without padding, and whether the text is a valid
// one. A valid text is base32 of at least 80 bits, in at most 200 characters.
func ParseTOTPSecret(text string) (string, bool) {
	secret := strings.ToUpper(strings.TrimRight(text, "="))
	if strings.ContainsAny(secret, "\r\n") { // the decoder skips them
		return "", false
	}
	b, err := base32Secret.DecodeString(secret)
	return secret, err == nil && len(b) >= minSecretSize && len(text) <= 200
}

// newTOTPSecret returns 160 bits in base32, as RFC 4226 recommends.
func newTOTPSecret() string { return rand.Text() + rand.Text()[:6] }

// Algorithm, digits and period are left out: they are the defaults of otpauth URLs.
func totpURL(account, secret string) string {
	label := strings.ReplaceAll(url.PathEscape(account), "+", "%2B") // some apps read + as a blank
	return "otpauth://totp/" + TOTPIssuer + ":" + label + "?secret=" + secret + "&issuer=" + TOTPIssuer
}

// normaliseCode keeps letters and digits alone. It replaces compatibility forms (full width), and
// Arabic-Indic and Persian digits, by ASCII.
func normaliseCode(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '\u0660' <= r && r <= '\u0669':
			return r - '\u0660' + '0'
		case '\u06f0' <= r && r <= '\u06f9':
			return r - '\u06f0' + '0'
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return r
		}
		return -1
	}, norm.NFKC.String(code))
}

// matchTOTP returns the step of the code. It accepts no step up to last, the last accepted one.
func matchTOTP(secret, code string, now time.Time, last int64) (step int64, ok bool) {
	code = normaliseCode(code)
	current := now.Unix() / stepSeconds
	for _, step := range []int64{current, current - 1, current + 1} {
		matches, err := hotp.ValidateCustom(code, uint64(step), secret,
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && matches && step > last {
			return step, true
		}
	}
	return 0, false
}
