package reports

import (
	"slices"

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
	{"excel-semicolon", "Excel: semicolon, decimal comma", reports.ExcelSemicolon},
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
