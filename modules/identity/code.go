package identity

import (
	"encoding/base32"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// stepLength is how long a code is shown; one before and one after are taken too, since clocks differ.
const stepLength = 30

// Issuer is the name under which an authenticator app shows the codes.
const Issuer = "DG"

// secretSize is 160 bits, as RFC 4226 recommends.
const secretSize = 20

func newTOTPSecret(random io.Reader) (string, error) {
	b := make([]byte, secretSize)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("identity: new two-step secret: %w", err)
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b), nil
}

// totpURL is what the QR code of a secret says. Algorithm, digits and period are what every app takes where none are named.
func totpURL(account, secret string) string {
	return "otpauth://totp/" + Issuer + ":" + url.PathEscape(account) + "?secret=" + secret + "&issuer=" + Issuer
}

// codeStep returns the time step around now whose code it is; ok says whether that is a later one than last. used says
// that it was the code of a step that is not: no guess, but one code twice.
func codeStep(secret, code string, now time.Time, last int64) (step int64, ok, used bool) {
	code = strings.ReplaceAll(code, " ", "")
	current := now.Unix() / stepLength
	for _, step := range []int64{current, current - 1, current + 1} {
		fits, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil || !fits {
			continue
		}
		if step > last {
			return step, true, false
		}
		used = true
	}
	return 0, false, used
}
