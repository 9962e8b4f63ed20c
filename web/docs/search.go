package docs

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/web/ui"
)

// maxQuery bounds the bytes of a search, because each word is looked up in all pages.
const maxQuery = 100

// passage is a sentence. ID is the anchor of the heading or table row above it, or "".
type passage struct{ ID, Text string }

type result struct {
	page
	passage
}

type searchView struct {
	ui.Layout
	Results []result
}

// Search handles GET /docs/search. A page whose name is the query comes first, then pages with all
// words in their names, then other pages with all words.
func (h *Handler) Search(c *fiber.Ctx, p *ui.Principal) error {
	texts, err := h.texts()
	if err != nil {
		return err
	}
	query := c.Query("q")
	query = strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
	words := strings.Fields(strings.ToLower(query))
	var named, others []result
	for i, at := range h.documentation.Pages {
		best, found := find(words, at.Name, texts[i])
		switch {
		case strings.EqualFold(at.Name, strings.TrimSpace(query)):
			named = slices.Insert(named, 0, result{at, best})
		case count(words, at.Name) == len(words):
			named = append(named, result{at, best})
		case found:
			others = append(others, result{at, best})
		}
	}
	v := searchView{h.layout(p, page{Name: "Search", Path: "/search"}), slices.Concat(named, others)}
	v.Sidebar.Query = query
	return h.Render(c, fiber.StatusOK, "search", &v)
}

// find returns the passage with the most words, and whether name and text together have them all.
func find(words []string, name string, text []passage) (best passage, found bool) {
	most := -1
	whole := []string{name}
	for _, one := range text {
		whole = append(whole, one.Text)
		if n := count(words, one.Text); n > most {
			best = one
			most = n
		}
	}
	return best, count(words, strings.Join(whole, " ")) == len(words)
}

// count returns how many of the words, in lower case, the text contains.
func count(words []string, text string) (n int) {
	text = strings.ToLower(text)
	for _, word := range words {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// pageTexts renders the pages as a visitor sees them: the index has no organisation's data.
func (h *Handler) pageTexts() (all [][]passage, err error) {
	for _, at := range h.documentation.Pages {
		markup, err := h.Markup(at.Template, h.view(nil, at))
		if err != nil {
			return nil, err
		}
		all = append(all, passages(string(markup)))
	}
	return all, nil
}

// plain turns HTML into lines. The anchor of a heading or table row becomes its own line, #id.
var plain = []struct {
	markup *regexp.Regexp
	text   string
}{
	// leaves out the layout, programs, forms, buttons and the list of recipes
	{regexp.MustCompile(`(?s)^.*<main[^>]*>|<(?:pre|form|fieldset|button|h1|table class="stack brief").*?` +
		`</(?:pre|form|fieldset|button|h1|table)>`), ""},
	{regexp.MustCompile(`</h2>\s*(?:<[^>]*>\s*)*|</dt><dd>(?:<p>)?|</th>`), ": "},
	{regexp.MustCompile(`</td>`), " "},
	{regexp.MustCompile(`<(?:h2|tr)[^>]* id="([^"]+)"[^>]*>`), "\n#$1\n"},
	{regexp.MustCompile(`<(?:p|li|tr|dt|dd|h3|div|summary)\b[^>]*>`), "\n"},
	{regexp.MustCompile(`<[^>]*>`), ""},
}

func passages(page string) (all []passage) {
	for _, p := range plain {
		page = p.markup.ReplaceAllString(page, p.text)
	}
	id := ""
	for line := range strings.Lines(html.UnescapeString(page)) {
		line = strings.TrimSpace(line)
		if after, is := strings.CutPrefix(line, "#"); is {
			id = after
		} else if line != "" {
			for sentence := range strings.SplitAfterSeq(line, ". ") {
				all = append(all, passage{id, sentence})
			}
		}
	}
	return all
}
