package identity

import (
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"dg/platform/input"
)

// EmailFormat describes the valid e-mails, for error messages.
const EmailFormat = "an e-mail of at most 254 characters that the form of the sign-in takes, such as ann@example.org"

// validEmail is the rule of HTML's e-mail field, also for PostgreSQL.
const validEmail = "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@" + domainLabel + `(?:\.` + domainLabel + `)*$`

const domainLabel = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`

var emailPattern = regexp.MustCompile(validEmail)

// Browsers differ in four letters, such as ß: Chromium sends them in the transitional form. So domains
// are compared in that form, whichever was sent (UTS 46, section 4).
var (
	sentDomain     = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false))
	comparedDomain = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(true))
)

// ParseEmail returns the e-mail without blanks around, and whether it is valid: a person with any
// other could not sign in, because the browser refuses or rewrites it.
func ParseEmail(text string) (email string, ok bool) {
	email = strings.TrimSpace(text)
	ascii := asciiEmail(email)
	return email, len(ascii) <= 254 && emailPattern.MatchString(ascii)
}

// EmailKey returns the normalised form by which e-mails are compared: browsers send the domain in
// ASCII, whatever was typed.
func EmailKey(email string) string { return input.Lower(asciiEmail(strings.TrimSpace(email))) }

func asciiEmail(email string) string {
	local, domain, _ := strings.Cut(email, "@")
	unicode, err := sentDomain.ToUnicode(domain)
	if err != nil {
		return email
	}
	ascii, err := comparedDomain.ToASCII(unicode)
	if err != nil || ascii == domain {
		return email
	}
	return local + "@" + ascii
}
