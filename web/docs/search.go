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
type passage struct {
	ID, Text string
	marked   string // Text, for comparisons
}

// pageText is the searchable text of a page.
type pageText struct {
	marked   string // name and passages
	passages []passage
}

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
	words := strings.Fields(mark(query))
	var named, others []result
	for i, at := range h.documentation.Pages {
		if at.Parent == "/privacy" { // a translation
			continue
		}
		best := bestPassage(words, texts[i].passages)
		switch {
		case strings.EqualFold(at.Name, strings.TrimSpace(query)):
			named = slices.Insert(named, 0, result{at, texts[i].passages[0]})
		case count(words, mark(at.Name)) == len(words):
			named = append(named, result{at, best})
		case count(words, texts[i].marked) == len(words):
			others = append(others, result{at, best})
		}
	}
	v := searchView{h.layout(p, page{Name: "Search", Path: "/search"}), slices.Concat(named, others)}
	v.Sidebar.Query = query
	return h.Render(c, fiber.StatusOK, "search", &v)
}

var wordOfText = regexp.MustCompile(`[\pL\pN]+`)

// mark returns the text in lower case, with a NUL before each word: a search finds beginnings only.
func mark(text string) string {
	return wordOfText.ReplaceAllString(strings.ToLower(text), "\x00$0")
}

// bestPassage returns the first passage with the most words.
func bestPassage(words []string, text []passage) (best passage) {
	most := -1
	for _, one := range text {
		if n := count(words, one.marked); n > most {
			best = one
			most = n
		}
	}
	return best
}

// count returns how many of the words the text contains. Both are marked.
func count(words []string, text string) (n int) {
	for _, word := range words {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// pageTexts renders the pages as a visitor sees them: the index has no organisation's data.
func (h *Handler) pageTexts() (all []pageText, err error) {
	for _, at := range h.documentation.Pages {
		markup, err := h.Markup(at.Template, h.view(nil, at))
		if err != nil {
			return nil, err
		}
		text := pageText{mark(at.Name), passages(string(markup))}
		for _, one := range text.passages {
			text.marked += " " + one.marked
		}
		all = append(all, text)
	}
	return all, nil
}

// plain turns HTML into lines. The anchor of a heading or table row becomes its own line, #id.
var plain = []struct {
	markup *regexp.Regexp
	text   string
}{
	// leaves out the layout, programs, forms, buttons and the list of recipes
	{regexp.MustCompile(`(?s)^.*<main[^>]*>|<(?:pre|form|fieldset|button|label|h1|table class="stack brief").*?` +
		`</(?:pre|form|fieldset|button|label|h1|table)>`), ""},
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
				all = append(all, passage{id, sentence, mark(sentence)})
			}
		}
	}
	return all
}
