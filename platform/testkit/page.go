package testkit

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type Page struct {
	*http.Response
	Body string
}

func (p Page) Is(t testing.TB, status int) Page {
	require.Equal(t, status, p.StatusCode, "%s: %s", p.Request.URL, p.Body)
	return p
}

func (p Page) Has(t testing.TB, texts ...string) Page {
	for _, text := range texts {
		require.Contains(t, p.Body, text, p.Request.URL)
	}
	return p
}

func (p Page) Lacks(t testing.TB, texts ...string) Page {
	for _, text := range texts {
		require.NotContains(t, p.Body, text, p.Request.URL)
	}
	return p
}

func RequireRedirect(t testing.TB, location string, p Page) {
	require.Equal(t, location, p.Is(t, http.StatusSeeOther).Header.Get("Location"))
}

// Link returns the address of the page's first link whose text begins with text, or "".
func (p Page) Link(text string) string {
	links := Submatches(`<a [^>]*href="([^"]*)"[^>]*>`+regexp.QuoteMeta(text), p.Body)
	if links == nil {
		return ""
	}
	return links[0][0]
}

// Submatches returns the groups of every match of a pattern in a page's text, unescaped.
func Submatches(pattern, text string) [][]string {
	var rows [][]string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		row := match[1:]
		for i := range row {
			row[i] = html.UnescapeString(strings.ReplaceAll(row[i], "<wbr>", ""))
		}
		rows = append(rows, row)
	}
	return rows
}

func Submatch(t testing.TB, pattern, text string) string {
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, match, "no %s in:\n%s", pattern, text)
	return match[1]
}

var tagPattern = regexp.MustCompile(`<[^>]*>`)

// TextOf returns the text of the markup after its first tag, on one line.
func TextOf(markup string) string {
	_, markup, _ = strings.Cut(markup, ">")
	return strings.Join(strings.Fields(html.UnescapeString(tagPattern.ReplaceAllString(markup, " "))), " ")
}
