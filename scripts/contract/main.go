// Command contract generates what the API's sources, openapi.yaml, errors.yaml and examples.json,
// have in common: modules/publicapi/openapi.json, the document that the service serves, and
// web/docs/templates/docs_errors.html, the table of errors in /docs/errors. It runs in the root of the
// repository; scripts/generate.sh calls it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"log"
	"os"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"dg/platform/apperr"
)

const (
	errorsFile   = "modules/publicapi/errors.yaml"
	examplesFile = "modules/publicapi/examples.json"
	documentFile = "modules/publicapi/openapi.yaml"
	servedFile   = "modules/publicapi/openapi.json"
	rowsFile     = "web/docs/templates/docs_errors.html"
)

// apiError is an entry of errors.yaml.
type apiError struct {
	Status   int
	Code     apperr.Code
	Cause    string
	Fix      string
	Messages yaml.MapSlice
}

func main() {
	log.SetFlags(0)
	if err := generate(); err != nil {
		log.Fatal("contract: ", err)
	}
}

func generate() error {
	var table []apiError
	source, err := os.ReadFile(errorsFile)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalWithOptions(source, &table, yaml.Strict()); err != nil {
		return fmt.Errorf("%s: %w", errorsFile, err)
	}
	answers, err := answers()
	if err != nil {
		return err
	}
	document, err := os.ReadFile(documentFile)
	if err != nil {
		return err
	}
	served, err := toJSON(withErrors(string(document)+answers, table))
	if err != nil {
		return fmt.Errorf("%s: %w", documentFile, err)
	}
	if err := os.WriteFile(servedFile, served, 0o644); err != nil {
		return err
	}
	return os.WriteFile(rowsFile, []byte(htmlRows(table)), 0o644)
}

// answers is the YAML of the examples of good answers: JSON is YAML.
func answers() (string, error) {
	source, err := os.ReadFile(examplesFile)
	if err != nil {
		return "", err
	}
	var list []struct {
		Name, Summary string
		Value         json.RawMessage
	}
	if err := json.Unmarshal(source, &list); err != nil {
		return "", fmt.Errorf("%s: %w", examplesFile, err)
	}
	var b bytes.Buffer
	for _, e := range list {
		fmt.Fprintf(&b, "    %s: {summary: %q, value: ", e.Name, e.Summary)
		if err := json.Compact(&b, e.Value); err != nil {
			return "", err
		}
		b.WriteString("}\n")
	}
	return b.String(), nil
}

// withErrors adds the table of errors to the document's tag Errors, and their examples at its end.
func withErrors(document string, table []apiError) string {
	return strings.Replace(document, "      {{table of errors}}\n", markdownTable(table), 1) +
		examples(table)
}

func markdownTable(table []apiError) string {
	var b strings.Builder
	b.WriteString(
		"      | Status | `code` | `details.code` | Cause | How to fix it |\n      |---|---|---|---|---|\n",
	)
	for _, e := range table {
		fmt.Fprintf(&b, "      | %d | `%s` | `%s` | %s | %s |\n", e.Status, kind(e), e.Code,
			e.Cause,
			e.Fix)
	}
	return b.String()
}

// kind is the top-level code of the error's body.
func kind(e apiError) string { return apperr.New(e.Code, "").HTTP().Code }

var braces = strings.NewReplacer("{", "", "}", "")

// examples is the YAML of the examples, one for each message.
func examples(table []apiError) string {
	var b strings.Builder
	for _, e := range table {
		for _, m := range e.Messages {
			message := m.Value.(map[string]any)
			fmt.Fprintf(&b,
				"    %s:\n      summary: %q\n      value:\n        code: %s\n        message: "+
					"%q\n        details: {code: %s}\n",
				m.Key, fmt.Sprintf("%d: %s", e.Status, message["when"]), kind(e),
				braces.Replace(message["text"].(string)), e.Code)
		}
	}
	return b.String()
}

// toJSON keeps the order of the keys.
func toJSON(document string) ([]byte, error) {
	compact, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", " "); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var code = regexp.MustCompile("`([^`]+)`")

// htmlRows is the template of the rows in /docs/errors. The first row of a code has the code as its id.
func htmlRows(table []apiError) string {
	var b strings.Builder
	b.WriteString(`{{define "errorRows"}}` + "\n")
	seen := map[apperr.Code]bool{}
	for _, e := range table {
		id := string(e.Code)
		if seen[e.Code] {
			id = fmt.Sprintf("%s-%d", e.Code, e.Status)
		}
		seen[e.Code] = true
		fmt.Fprintf(&b,
			`<tr role="row" id="%s"><th role="rowheader" scope="row">%d <small class="mono">%s</small></th><td role="cell">%s</td><td role="cell" data-label="How to fix it">%s</td></tr>`+
				"\n",
			id, e.Status, e.Code, cell(e.Cause), cell(e.Fix))
	}
	b.WriteString("{{end}}\n")
	return b.String()
}

func cell(text string) string {
	return "<span>" + code.ReplaceAllString(html.EscapeString(text), "<code>$1</code>") + "</span>"
}
