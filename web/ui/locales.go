package ui

import "time"

// numberStyle is how numbers are written: the decimal separator, that of groups, what follows a
// percentage, the number of digits from which they are grouped, and how many digits the groups
// beyond the last three have.
type numberStyle struct {
	decimal, group, percent string
	shortest, step          int
}

// No-break spaces: the narrow one is U+202F.
const (
	space  = "\u00a0"
	narrow = "\u202f"
)

var (
	commas       = numberStyle{".", ",", "%", 4, 3}
	lakhs        = numberStyle{".", ",", "%", 4, 2}
	points       = numberStyle{",", ".", space + "%", 4, 3}
	tightPoints  = numberStyle{",", ".", "%", 4, 3}
	spaces       = numberStyle{",", space, space + "%", 4, 3}
	tightSpaces  = numberStyle{",", space, "%", 5, 3}
	narrowSpaces = numberStyle{",", narrow, space + "%", 4, 3}
)

// Locales are those to choose from, and those that a browser gets: the first of a language also for
// its other regions. Numbers, order of dates, clock and first day of the week are those of
// Unicode's CLDR; a test compares them with a browser's.
var Locales = []Locale{
	{"en-GB", "United Kingdom", commas, dayFirst, 24, time.Monday},
	{"en-US", "United States", commas, monthFirst, 12, time.Sunday},
	{"en-AU", "Australia", commas, dayFirst, 12, time.Monday},
	{"en-CA", "Canada (English)", commas, monthFirst, 12, time.Sunday},
	{"en-IE", "Ireland", commas, dayFirst, 24, time.Monday},
	{"en-IN", "India", lakhs, dayFirst, 12, time.Sunday},
	{"cs-CZ", "Czechia", spaces, dayFirst, 24, time.Monday},
	{"da-DK", "Denmark", points, dayFirst, 24, time.Monday},
	{"de-DE", "Germany", points, dayFirst, 24, time.Monday},
	{"de-AT", "Austria", numberStyle{",", space, space + "%", 4, 3}, dayFirst, 24, time.Monday},
	{"de-CH", "Switzerland (German)", numberStyle{".", "'", "%", 4, 3}, dayFirst, 24, time.Monday},
	{"es-ES", "Spain", numberStyle{",", ".", space + "%", 5, 3}, dayFirst, 24, time.Monday},
	{"es-MX", "Mexico", commas, dayFirst, 12, time.Sunday},
	{"fi-FI", "Finland", spaces, dayFirst, 24, time.Monday},
	{"fr-FR", "France", narrowSpaces, dayFirst, 24, time.Monday},
	{"fr-BE", "Belgium (French)", narrowSpaces, dayFirst, 24, time.Monday},
	{"fr-CA", "Canada (French)", spaces, dayFirst, 24, time.Sunday},
	{
		"fr-CH", "Switzerland (French)", numberStyle{",", narrow, "%", 4, 3}, dayFirst, 24,
		time.Monday,
	},
	{"hu-HU", "Hungary", tightSpaces, yearFirst, 24, time.Monday},
	{"it-IT", "Italy", numberStyle{",", ".", "%", 5, 3}, dayFirst, 24, time.Monday},
	{"it-CH", "Switzerland (Italian)", numberStyle{".", "'", "%", 5, 3}, dayFirst, 24, time.Monday},
	{"ja-JP", "Japan", commas, yearFirst, 24, time.Sunday},
	{"ko-KR", "South Korea", commas, yearFirst, 12, time.Sunday},
	{"nb-NO", "Norway", spaces, dayFirst, 24, time.Monday},
	{"nl-NL", "Netherlands", tightPoints, dayFirst, 24, time.Monday},
	{"nl-BE", "Belgium (Dutch)", tightPoints, dayFirst, 24, time.Monday},
	{"pl-PL", "Poland", tightSpaces, dayFirst, 24, time.Monday},
	{"pt-PT", "Portugal", tightSpaces, dayFirst, 24, time.Sunday},
	{"pt-BR", "Brazil", tightPoints, dayFirst, 24, time.Sunday},
	{"sv-SE", "Sweden", spaces, dayFirst, 24, time.Monday},
	{"zh-CN", "China", commas, yearFirst, 24, time.Monday},
}
