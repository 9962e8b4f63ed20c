package docs

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"dg/modules/apikeys"
	"dg/web/ui"
)

// maxQueryBytes bounds the bytes of a search, because each word is looked up in all pages.
const maxQueryBytes = 100

// passage is a sentence. ID is the anchor of its h2 or table row, or "".
type passage struct {
	ID, Text   string
	normalised string // Text in the form that searches compare
}

type pageText struct {
	normalised string // name and passages in the form that searches compare
	passages   []passage
}

type searchResult struct {
	page
	passage
}

type searchView struct {
	ui.Layout
	Results []searchResult
}

// Search handles GET /docs/search. A page whose name is the query comes first, then pages with all
// words in their names, then other pages with all words.
func (h *Handler) Search(c *fiber.Ctx, p *ui.Principal) error {
	texts, err := h.texts()
	if err != nil {
		return err
	}
	query := apikeys.Redact(c.Query("q"))
	query = strings.ToValidUTF8(query[:min(len(query), maxQueryBytes)], "")
	words := strings.Fields(normalise(query))
	var named, others []searchResult
	for i, candidate := range h.documentation.Pages {
		if candidate.Parent == "/privacy" { // the page is a translation
			continue
		}
		switch {
		case strings.EqualFold(candidate.Name, strings.TrimSpace(query)):
			named = slices.Insert(named, 0, searchResult{candidate, texts[i].passages[0]})
		case countWords(words, normalise(candidate.Name)) == len(words):
			named = append(named, searchResult{candidate, bestPassage(words, texts[i].passages)})
		case countWords(words, texts[i].normalised) == len(words):
			others = append(others, searchResult{candidate, bestPassage(words, texts[i].passages)})
		}
	}
	v := searchView{h.newLayout(p, page{Name: "Search", Path: "/search"}), slices.Concat(named, others)}
	v.Sidebar.Query = query
	return h.Render(c, fiber.StatusOK, "search", &v)
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

// normalise returns text in lower case, a NUL before each word: searches find only starts of words.
func normalise(text string) string {
	return wordPattern.ReplaceAllString(strings.ToLower(text), "\x00$0")
}

// bestPassage returns the first passage that contains the most words.
func bestPassage(words []string, text []passage) passage {
	return slices.MaxFunc(text, func(a, b passage) int {
		return countWords(words, a.normalised) - countWords(words, b.normalised)
	})
}

// countWords returns how many of the words the text contains. Both are normalised.
func countWords(words []string, text string) (n int) {
	for _, word := range words {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// pageTexts renders the pages as a visitor sees them: the index has no organisation's data.
func (h *Handler) pageTexts() (texts []pageText, err error) {
	for _, candidate := range h.documentation.Pages {
		markup, err := h.Markup(candidate.Template, h.newView(nil, candidate))
		if err != nil {
			return nil, err
		}
		document, err := html.Parse(bytes.NewReader(markup))
		if err != nil {
			return nil, err
		}
		text := pageText{normalise(candidate.Name), passagesOf(document)}
		for _, p := range text.passages {
			text.normalised += " " + p.normalised
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func passagesOf(document *html.Node) []passage {
	var r textReader
	for n := range document.Descendants() {
		if n.DataAtom == atom.Main {
			r.read(n)
			r.endLine()
		}
	}
	return r.passages
}

// textReader collects the passages of a page.
type textReader struct {
	id       string
	line     string
	passages []passage
}

// read collects the lines of an element. Text after a heading belongs to the heading's line.
func (r *textReader) read(n *html.Node) {
	switch n.DataAtom {
	case atom.Pre, atom.Form, atom.Fieldset, atom.Button, atom.Label, atom.H1: // not searched
		return
	case atom.P, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.H2, atom.H3, atom.Div, atom.Summary:
		r.endLine()
	}
	for _, a := range n.Attr {
		if a.Key == "class" && a.Val == "stack brief" { // tables of recipes are not searched
			return
		}
		if a.Key == "id" && (n.DataAtom == atom.H2 || n.DataAtom == atom.Tr) {
			r.line = "" // drops a heading without a text
			r.id = a.Val
		}
	}
	if n.Type == html.TextNode {
		r.line += n.Data
	}
	for child := range n.ChildNodes() {
		r.read(child)
	}
	switch n.DataAtom {
	case atom.H2, atom.Dt, atom.Th:
		r.line += ": "
	case atom.Td:
		r.line += " "
	}
}

// endLine adds the line's sentences to passages. A line that ends with a colon waits for further text.
func (r *textReader) endLine() {
	line := strings.Join(strings.Fields(r.line), " ")
	if line == "" || strings.HasSuffix(line, ":") {
		return
	}
	for sentence := range strings.SplitAfterSeq(line, ". ") {
		r.passages = append(r.passages, passage{r.id, sentence, normalise(sentence)})
	}
	r.line = ""
}
