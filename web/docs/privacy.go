package docs

import (
	"strconv"
	"strings"

	"dg/modules/reports"
	"dg/web/ui"
)

// privacyNotice is the privacy page in one language. privacy.json has the same rows in each language.
type privacyNotice struct {
	Name, Title, Lede string
	Sections          []struct {
		ID, Title string
		Rows      [][2]string
	}
}

var noticeLanguages = []string{"en", "de", "fr", "es", "pt"}

// privacyPages returns the page /privacy in English and its translations, such as /privacy/de.
func privacyPages() (pages []page) {
	var notices map[string]privacyNotice
	decodeFile("privacy.json", &notices)
	path := func(language string) string {
		return "/privacy" + strings.TrimSuffix("/"+language, "/en")
	}
	for _, language := range noticeLanguages {
		n := notices[language]
		translation := page{Name: n.Title, Path: path(language), Template: "privacy", Language: language, Notice: n}
		if language != "en" {
			translation.Parent, translation.Name = "/privacy", n.Name
		}
		for _, other := range noticeLanguages {
			translation.NoticeLanguages = append(translation.NoticeLanguages, ui.Link{
				Name: notices[other].Name, Path: "/docs" + path(other), Current: other == language,
			})
		}
		pages = append(pages, translation)
	}
	return pages
}

// Fact returns text with the placeholder {threshold} replaced by its value.
func (n privacyNotice) Fact(text string) string {
	return strings.ReplaceAll(text, "{threshold}", strconv.Itoa(reports.MinGroup))
}
