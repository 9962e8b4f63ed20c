package publicapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/importer"
	"dg/platform/testkit"
)

type example struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Path    string `json:"path"`
	Value   any    `json:"value"` // JSON, or the text of a CSV file
}

// examples.json has the demo's answers, which scripts/contract copies into the document. After a
// change, `DG_UPDATE=1 go test ./modules/publicapi -run TestExamples && make generate` updates
// both.
func TestExamplesAreAnswersOfTheDemo(t *testing.T) {
	t.Parallel()
	stored, err := os.ReadFile("examples.json")
	require.NoError(t, err)
	var examples []example
	require.NoError(t, json.Unmarshal(stored, &examples))
	w := start(t)
	// the demo of 1 April 2026 with the plays of nine days
	var file, few bytes.Buffer
	require.NoError(t, demo.Write(&file, time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)))
	for line := range bytes.Lines(file.Bytes()) {
		if !bytes.Contains(line, []byte(`"type":"play"`)) ||
			bytes.Contains(line, []byte(`"startedAt":"2026-03-0`)) {
			few.Write(line)
		}
	}
	input := importer.Input{Name: t.Name(), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&few), nil
	}}
	_, err = importer.Importer{Pool: w.Owner.Pool}.Import(t.Context(), []importer.Input{input}, nil)
	require.NoError(t, err)
	// pseudonyms are random
	w.Exec(`alter table players disable trigger player_pseudonym`)
	w.Exec(`update players set label = 'P-' || upper(left(md5(id::text), 10))`)
	key := w.Key(testkit.One[string](w.World,
		`select id::text from organisations where slug = 'harbour-and-vale'`))
	for i, e := range examples {
		got := w.get(t, e.Path, key).Is(t, http.StatusOK)
		route, _, err := w.router.FindRoute(got.Request)
		require.NoError(t, err)
		headers := route.Operation.Responses.Status(http.StatusOK).Value.Headers
		for _, name := range []string{
			"RateLimit-Policy", "Cache-Control", "Vary", "Content-Disposition",
		} {
			if headers[name] != nil && !strings.Contains(e.Path, "groupId") {
				require.Equal(t, headers[name].Value.Example, got.Header.Get(name), name)
			}
		}
		examples[i].Value = got.Body
		if strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
			examples[i].Value = json.RawMessage(got.Body)
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(examples))
	if os.Getenv("DG_UPDATE") != "" {
		require.NoError(t, os.WriteFile("examples.json", b.Bytes(), 0o644))
		return
	}
	require.Equal(t, string(stored), b.String(),
		"DG_UPDATE=1 go test ./modules/publicapi -run TestExamples && make generate")
}

// The ids in the examples are in every demo, whenever it is loaded.
func TestExamplesNameForksAndGroupsOfEveryDemo(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	require.NoError(t, demo.Write(&file, time.Now()))
	parameters := storedDocument(t).Components.Parameters
	require.Contains(t, file.String(),
		`{"type":"fork","id":"`+parameters["ForkId"].Value.Example.(string)+`"`)
	require.Contains(t, file.String(),
		`{"type":"group","id":"`+parameters["GroupId"].Value.Example.(string)+`"`)
}
