// Command contract generates files from the OpenAPI document and the recipes of /docs. It writes
// modules/publicapi/openapi.json, which the service serves, from openapi.yaml, errors.yaml and
// examples.json. For /docs it writes three files below web/docs: templates/docs_errors.html (the table
// of errors), reference.json (the operations) and coloured.json (the recipes in colour). It runs in
// the root of the repository; scripts/generate.sh calls it. With the arguments BASE KEY RECIPES, as
// table.sh calls it, it runs the programs of /docs instead: see runTable.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"dg/platform/apperr"
)

const (
	errorsFile   = "modules/publicapi/errors.yaml"
	examplesFile = "modules/publicapi/examples.json"
	documentFile = "modules/publicapi/openapi.yaml"
)

//go:embed contract.tmpl
var templateText string

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"withoutBraces": strings.NewReplacer("{", "", "}", "").Replace,
	"code": func(text string) string {
		return "<span>" + codeSpanPattern.ReplaceAllString(text, "<code>$1</code>") + "</span>"
	},
}).Parse(templateText))

var codeSpanPattern = regexp.MustCompile("`([^`]+)`")

// sources has the contents of the source files. contract.tmpl renders Errors.
type sources struct {
	answers map[string]json.RawMessage // examples.json: answers by request
	Errors  []*apiError                // errors.yaml
}

var exampleRequestPattern = regexp.MustCompile(`GET /api/v1/\S+`)

// answer returns the answer to a request, or {} until TestExamplesAreResponsesOfTheDemo stores it.
func (s sources) answer(request []byte) []byte {
	if answer, ok := s.answers[string(request)]; ok {
		return answer
	}
	return []byte("{}")
}

// apiError is an entry of errors.yaml.
type apiError struct {
	Status   int
	Code     apperr.Code
	Cause    string
	Fix      string
	Messages yaml.MapSlice
	ID       string `yaml:"-"` // anchor of the error's row in /docs/errors
}

// Message is the first message of an error with a common status, or "".
func (e *apiError) Message() string {
	if !slices.Contains([]int{400, 401, 403, 404, 429, 503}, e.Status) {
		return ""
	}
	message, _ := e.Messages[0].Value.(map[string]any)
	text, _ := message["text"].(string)
	return strings.NewReplacer("{", "", "}", "").Replace(text)
}

func (e apiError) TopLevelCode() string { return e.Code.HTTP().Code }

func main() {
	log.SetFlags(0)
	command := generate
	if len(os.Args) == 4 {
		command = func() error { return runTable(os.Args[1], os.Args[2], os.Args[3]) }
	}
	if err := command(); err != nil {
		log.Fatal("contract: ", err)
	}
}

func generate() error {
	s, err := readSources()
	if err != nil {
		return err
	}
	document, err := os.ReadFile(documentFile)
	if err != nil {
		return err
	}
	placeholder := []byte("      {{table of errors}}\n")
	document = bytes.Replace(document, placeholder, s.render("table"), 1)
	document = exampleRequestPattern.ReplaceAllFunc(document, s.answer)
	served, err := toJSON(append(document, s.render("examples")...))
	if err != nil {
		return fmt.Errorf("%s: %w", documentFile, err)
	}
	operations, err := reference(served)
	if err != nil {
		return err
	}
	programs, err := highlightRecipes()
	if err != nil {
		return err
	}
	for path, content := range map[string][]byte{
		"web/docs/coloured.json":              programs,
		"modules/publicapi/openapi.json":      served,
		"web/docs/templates/docs_errors.html": s.render("rows"),
		"web/docs/reference.json":             operations,
	} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func readSources() (s sources, err error) {
	text, err := os.ReadFile(errorsFile)
	if err != nil {
		return s, err
	}
	if err := yaml.UnmarshalWithOptions(text, &s.Errors, yaml.Strict()); err != nil {
		return s, fmt.Errorf("%s: %w", errorsFile, err)
	}
	seen := map[apperr.Code]bool{}
	for _, e := range s.Errors {
		e.ID = string(e.Code)
		if seen[e.Code] {
			e.ID = fmt.Sprintf("%s-%d", e.Code, e.Status)
		}
		seen[e.Code] = true
	}
	if text, err = os.ReadFile(examplesFile); err != nil {
		return s, err
	}
	var compact bytes.Buffer // openapi.yaml has each example on one line
	if err := json.Compact(&compact, text); err != nil {
		return s, fmt.Errorf("%s: %w", examplesFile, err)
	}
	err = json.Unmarshal(compact.Bytes(), &s.answers)
	return s, err
}

// render executes a template of contract.tmpl. A mistake in the template ends the process.
func (s sources) render(name string) []byte {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, s); err != nil {
		log.Fatal("contract: ", err)
	}
	return b.Bytes()
}

// toJSON converts YAML to indented JSON, and keeps the order of the keys.
func toJSON(document []byte) ([]byte, error) {
	compact, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", " "); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
