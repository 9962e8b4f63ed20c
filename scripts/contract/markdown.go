package main

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// markdown converts a description of an operation, a parameter or a field to HTML. It supports what
// these use: paragraphs, lists, tables and code spans.
func markdown(text string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(
			codeSpanPattern.ReplaceAllString(html.EscapeString(block), "<code>$1</code>"), "\n",
		)
		switch {
		case block == "":
		case strings.HasPrefix(block, "- "):
			b.WriteString("<ul><li>" +
				strings.ReplaceAll(strings.Join(lines, "\n")[2:], "\n- ", "</li><li>") +
				"</li></ul>")
		case strings.HasPrefix(block, "|"):
			b.WriteString(markdownTable(lines))
		default:
			b.WriteString("<p>" + strings.Join(lines, " ") + "</p>")
		}
	}
	return b.String()
}

// markdownTable converts a table. It skips the second line, the delimiter row.
func markdownTable(lines []string) string {
	var b strings.Builder
	label := strings.NewReplacer(" |", ",", "<code>", "", "</code>", "").
		Replace(strings.Trim(lines[0], "| "))
	b.WriteString(`<div class="scroll" tabindex="0" role="region" aria-label="Table: ` + label +
		`"><table aria-label="` + label + `">`)
	for i, line := range lines {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		switch {
		case i == 0:
			b.WriteString("<thead><tr>")
			for _, cell := range cells {
				b.WriteString(`<th scope="col">` + strings.TrimSpace(cell) + "</th>")
			}
			b.WriteString("</tr></thead><tbody>")
		case i > 1:
			b.WriteString("<tr>")
			for _, cell := range cells {
				b.WriteString("<td>" + strings.TrimSpace(cell) + "</td>")
			}
			b.WriteString("</tr>")
		}
	}
	b.WriteString("</tbody></table></div>")
	return b.String()
}

// prettyJSON returns the value of an example for display: text as it is, JSON indented.
func prettyJSON(v jsonValue) string {
	if v[0] == '"' {
		return strings.TrimSuffix(v.text(), "\n")
	}
	var b bytes.Buffer
	_ = json.Indent(&b, v, "", "  ") // cannot fail: v was read as JSON
	return leafPattern.ReplaceAllStringFunc(b.String(), func(object string) string {
		if line := strings.Join(strings.Fields(object), " "); len(line) < 140 {
			return strings.NewReplacer("{ ", "{", " }", "}").Replace(line)
		}
		return object
	})
}

// leafPattern matches an object without nested values in a list of the outermost object, as json.Indent
// writes it. A short object is shown on one line.
var leafPattern = regexp.MustCompile(`(?m)\{\n {6}[^{}\[\]]*\}`)
