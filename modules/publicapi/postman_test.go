package publicapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// postmanItem is a folder or a request of the collection.
type postmanItem struct {
	Name     string
	Item     []postmanItem
	Response []struct {
		Code int
		Body string
	}
	Request struct {
		Method string
		URL    struct {
			Raw   string
			Query []struct {
				Key, Value string
				Disabled   bool
			}
		}
	}
}

// requests returns the requests of the folder, in their order.
func (i postmanItem) requests() (all []postmanItem) {
	if i.Item == nil {
		return []postmanItem{i}
	}
	for _, child := range i.Item {
		all = append(all, child.requests()...)
	}
	return all
}

type postmanCollection struct {
	postmanItem
	Variable []struct{ Key, Value string }
}

// The collection is read without a key. It has the service's address and no ids, which are unknown
// to other organisations. The demo answers each request with 200. Group reports have a separate
// folder.
func TestPostmanCollectionWorksOnTheDemo(t *testing.T) {
	t.Parallel()
	w := start(t)
	got := w.send(t, http.MethodGet, "/openapi/v1.postman.json", "")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, "application/json; charset=utf-8", got.Header.Get("Content-Type"))
	same := w.send(t, http.MethodGet, "/openapi/v1.postman.json", "", "If-None-Match",
		got.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, same.StatusCode)

	var collection postmanCollection
	require.NoError(t, json.Unmarshal([]byte(got.body), &collection))
	token := w.loadDemo(t)
	values := map[string]string{
		"key": "", "baseUrl": w.url, "from": "2026-03-01", "to": "2026-03-28",
		"forkId":  "60772820-1226-4be5-b50f-c2adbe3dca64",
		"groupId": "367856ea-0ce4-4434-8f3b-0260cd0f3211",
	}
	var filled []string
	for _, v := range collection.Variable {
		require.Contains(t, values, v.Key)
		if v.Key == "baseUrl" {
			require.Equal(t, w.url, v.Value)
		} else {
			require.Empty(t, v.Value, v.Key)
		}
		filled = append(filled, "{{"+v.Key+"}}", values[v.Key])
	}
	called := map[string]bool{}
	for _, folder := range collection.Item {
		for _, item := range folder.requests() {
			address := strings.NewReplacer(filled...).Replace(item.Request.URL.Raw)
			require.NotContains(t, address, "{{")
			require.Equal(t, folder.Name == "Reports of a group",
				strings.Contains(address, "groupId="), address)
			answer := w.send(t, item.Request.Method, strings.TrimPrefix(address, w.url),
				"Bearer "+token.String())
			require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", address, answer.body)
			require.NotEmpty(t, item.Response, address)
			for _, saved := range item.Response {
				require.Equal(t, http.StatusOK, saved.Code)
				require.NotEmpty(t, saved.Body)
			}
			called[strings.Split(item.Request.URL.Raw, "?")[0]] = true
		}
	}
	require.Len(t, called, len(documentOf(t, w.url).Paths.Map()), "each operation")
}

// specification, 4.2: with any organisation's key the collection's script takes the ids from the
// list of forks, so no request is refused. Requests without such an id are not sent. make contract
// runs newman.
func TestPostmanCollectionRunsWithAnyKey(t *testing.T) {
	t.Parallel()
	newman := os.Getenv("DG_NEWMAN")
	if newman == "" {
		t.Skip("SKIPPED: make contract runs it")
	}
	w := start(t)
	w.loadDemo(t)
	for slug, sent := range map[string]int{"harbour-and-vale": 6, "atelier-north-light": 4} {
		organisation := w.organisation(slug)
		report := filepath.Join(t.TempDir(), "report.json")
		out, err := exec.CommandContext(t.Context(), newman, "run",
			w.url+"/openapi/v1.postman.json", "--env-var", "key="+w.key(t, organisation).String(),
			"--reporters", "json", "--reporter-json-export", report).CombinedOutput()
		require.NoError(t, err, "%s", out)
		text, err := os.ReadFile(report)
		require.NoError(t, err)
		var result struct {
			Run struct {
				Executions []struct{ Response struct{ Code int } }
			}
		}
		require.NoError(t, json.Unmarshal(text, &result))
		ok := 0
		for _, e := range result.Run.Executions {
			if e.Response.Code == http.StatusOK {
				ok++
			}
		}
		require.Equal(t, sent, ok, slug)
		for _, e := range w.entries(t, organisation) {
			require.NotEqual(t, audit.KeyRefused, e.Action, "%s: %s", slug, e.Reason)
		}
	}
}
