package identity

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
)

// EmailFormat describes valid e-mails, for error messages.
const EmailFormat = "an e-mail of at most 254 characters that the form of the sign-in takes, such as ann@example.org"

// emailExpression is the rule of HTML's e-mail field, in syntax that Go and PostgreSQL share.
const emailExpression = "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@" + domainLabel + `(?:\.` + domainLabel + `)*$`

const domainLabel = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`

var emailPattern = regexp.MustCompile(emailExpression)

// Browsers differ in how they encode four letters of domains, such as ß. Domains are compared in
// the transitional form of UTS 46 (section 4), in which both encodings are equal.
var (
	sentProfile     = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false))
	comparedProfile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(true))
)

// ParseEmail returns the e-mail without surrounding blanks, and whether it is valid. Browsers
// refuse or rewrite an invalid e-mail, so that its person could not sign in.
func ParseEmail(text string) (email string, ok bool) {
	email = strings.TrimSpace(text)
	ascii := asciiEmail(email)
	return email, len(ascii) <= 254 && emailPattern.MatchString(ascii)
}

// EmailKey returns the normalised form by which e-mails are compared. Its domain is in ASCII, as
// browsers send it.
func EmailKey(email string) string { return input.Lower(asciiEmail(strings.TrimSpace(email))) }

func asciiEmail(email string) string {
	local, domain, _ := strings.Cut(email, "@")
	unicodeDomain, err := sentProfile.ToUnicode(domain)
	if err != nil {
		return email
	}
	asciiDomain, err := comparedProfile.ToASCII(unicodeDomain)
	if err != nil || asciiDomain == domain {
		return email
	}
	return local + "@" + asciiDomain
}

// unusualEmails returns the people whose e-mail may be invalid or whose stored key may be outdated.
func unusualEmails(db transaction) (emails []userRow, _ error) {
	err := db.Scopes(postgres.Tag("identity.unusualEmails")).
		Where("email !~ ? or email ilike '%xn--%' or email_key <> lower(email)", emailExpression).
		Order("id").Find(&emails).Error
	return emails, apperr.Annotate(err, "identity: unusual e-mails")
}

// RewriteEmailKeys replaces keys that earlier versions computed differently. If another person has
// the new key, the old key stays, and CheckEmails warns. The pool must connect as the owner of the
// tables.
func RewriteEmailKeys(ctx context.Context, owner *postgres.DB) error {
	return owner.Gorm.WithContext(ctx).Transaction(func(tx transaction) error {
		emails, err := unusualEmails(tx)
		if err != nil {
			return err
		}
		for _, r := range emails {
			key := EmailKey(r.Email)
			if key == r.EmailKey {
				continue
			}
			_, err := updateRows(tx, "identity.rewriteEmailKey", &userRow{}, map[string]any{"email_key": key},
				"id = ? and email = ? and not exists (select from users o where o.email_key = ?)",
				r.ID, r.Email, key)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// CheckEmails returns a warning for each account whose person cannot sign in because of the e-mail.
func CheckEmails(ctx context.Context, db *postgres.DB) (warnings []string, _ error) {
	emails, err := unusualEmails(db.Gorm.WithContext(ctx))
	for _, r := range emails {
		if _, ok := ParseEmail(r.Email); !ok {
			warnings = append(warnings, fmt.Sprintf("no sign-in form takes the e-mail %q of account %s: "+
				"import the user with another one", r.Email, r.ID))
		} else if EmailKey(r.Email) != r.EmailKey {
			warnings = append(warnings, fmt.Sprintf("another account has the e-mail %q of account %s in "+
				"another form: import one of them with another e-mail, or delete it with dg account delete",
				r.Email, r.ID))
		}
	}
	return warnings, err
}
