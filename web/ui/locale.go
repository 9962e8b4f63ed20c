package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	bcp47 "golang.org/x/text/language"

	"dg/modules/reports"
)

// Locale is how the reader of a page writes numbers and dates, and on which day a week begins.
// Words stay English, the names of months included. Nothing that a program reads depends on it:
// datetime attributes, ids, commands and files.
type Locale struct {
	Tag, Name string // of the language and its region
	numbers   numberStyle
	dates     dateStyle
	Hours     int // 12 or 24, of the clock
	FirstDay  time.Weekday
}

// maxAcceptLanguage is how many bytes of the header are read: a browser sends fewer.
const maxAcceptLanguage = 256

// LocaleOf is the locale of a request: the person's choice, otherwise the browser's.
func LocaleOf(c *fiber.Ctx) Locale {
	if p := PrincipalOf(c); p != nil {
		return p.Locale
	}
	return NewLocale("", c.Get(fiber.HeaderAcceptLanguage))
}

// NewLocale returns the chosen locale, otherwise that of the browser's first known language: in the
// browser's region, or in the language's first. The default is the United Kingdom's.
func NewLocale(chosen, acceptLanguage string) Locale {
	if l, ok := LocaleByTag(chosen); ok {
		return l
	}
	header := acceptLanguage
	if len(header) > maxAcceptLanguage {
		header = header[:max(0, strings.LastIndexByte(header[:maxAcceptLanguage], ','))]
	}
	tags, _, _ := bcp47.ParseAcceptLanguage(header) // the preferred first; none if it is malformed
	for _, tag := range tags {
		base, _ := tag.Base()
		words := base.String()
		if words == "no" || words == "nn" {
			words = "nb" // as Norwegian is written here
		}
		region, sure := tag.Region() // guessed where the tag has none
		if l, ok := LocaleByTag(words + "-" + region.String()); ok && sure == bcp47.Exact {
			return l
		}
		if i := slices.IndexFunc(Locales, func(l Locale) bool {
			return strings.HasPrefix(l.Tag, words+"-")
		}); i >= 0 {
			return Locales[i]
		}
	}
	return Locales[0]
}

// LocaleByTag is the locale of a tag such as de-CH, if there is one.
func LocaleByTag(tag string) (Locale, bool) {
	i := slices.IndexFunc(Locales, func(l Locale) bool { return l.Tag == tag })
	if i < 0 {
		return Locale{}, false
	}
	return Locales[i], true
}

// Count writes a number: 1,363.
func (l Locale) Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	if len(strings.TrimPrefix(digits, "-")) < l.numbers.shortest {
		return digits
	}
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= l.numbers.step {
		digits = digits[:i] + l.numbers.group + digits[i:]
	}
	return digits
}

// Plural is the text for a number, which takes the place of its %s.
func (l Locale) Plural(n int64, one, other string) string {
	if n == 1 {
		other = one
	}
	return fmt.Sprintf(other, l.Count(n))
}

// Percent writes a percentage with one decimal: 69.6%.
func (l Locale) Percent(p reports.Percent) string { return l.Points(int64(p)) + l.numbers.percent }

// Points writes a difference of percentages, in tenths: 1.2.
func (l Locale) Points(tenths int64) string {
	return l.Count(tenths/10) + l.numbers.decimal + strconv.FormatInt(tenths%10, 10)
}

// Share writes whole percent: 8%.
func (l Locale) Share(percent int64) string { return l.Count(percent) + l.numbers.percent }
