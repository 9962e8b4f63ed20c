package reports

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
	"dg/platform/apperr"
)

// playsFormat is a format in which a person may download plays.
type playsFormat struct {
	Key, Name string
	format    reports.Format
}

var playsFormats = []playsFormat{
	{"csv", "CSV, as in the API", reports.CSV},
	{"excel-comma", "Excel: comma, decimal point", reports.ExcelComma},
	{"excel-semicolon", "Excel: semicolon, decimal comma", reports.ExcelSemicolon},
	{"excel-semicolon-point", "Excel: semicolon, decimal point", reports.ExcelSemicolonPoint},
}

// playsFormatOf returns the format that the request chose; without a choice the API's.
func playsFormatOf(c *fiber.Ctx) (reports.Format, error) {
	key := c.Query("format", playsFormats[0].Key)
	i := slices.IndexFunc(playsFormats, func(f playsFormat) bool { return f.Key == key })
	if i < 0 {
		return 0, apperr.NewField("format", "The format is unknown. Choose one beside “Download”.")
	}
	return playsFormats[i].format, nil
}

// Languages whose Excel separates cells by a comma, and regions that differ from their language.
// All others have a semicolon and a decimal comma.
var formatOfLanguage = map[string]string{
	"":      "csv",
	"*":     "csv",
	"en":    "excel-comma",
	"ja":    "excel-comma",
	"zh":    "excel-comma",
	"ko":    "excel-comma",
	"th":    "excel-comma",
	"he":    "excel-comma",
	"hi":    "excel-comma",
	"es-mx": "excel-comma",
	"es-us": "excel-comma",
	"de-ch": "excel-semicolon-point",
	"de-li": "excel-semicolon-point",
	"it-ch": "excel-semicolon-point",
}

// suggestedFormat returns the key of the format of the first language that the reader's browser
// names.
func suggestedFormat(acceptLanguage string) string {
	tag, _, _ := strings.Cut(acceptLanguage, ",")
	tag, _, _ = strings.Cut(tag, ";")
	tag = strings.ToLower(strings.TrimSpace(tag))
	language, _, _ := strings.Cut(tag, "-")
	for _, name := range []string{tag, language} {
		if format := formatOfLanguage[name]; format != "" {
			return format
		}
	}
	if len(language) < 2 || len(language) > 3 ||
		strings.Trim(language, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "csv"
	}
	return "excel-semicolon"
}
