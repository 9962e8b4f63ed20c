package publicapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// postmanItem is a folder or a request of the collection.
type postmanItem struct {
	Item    []postmanItem
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

// The collection needs no key to be read, names the service's address, and each of its requests,
// with the values that it comes with and a key, is answered 200 by the demo.
func TestPostmanCollectionWorksOnTheDemo(t *testing.T) {
	t.Parallel()
	w := start(t)
	got := w.send(t, http.MethodGet, "/openapi/v1.postman.json", "")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Equal(t, "application/json; charset=utf-8", got.Header.Get("Content-Type"))
	same := w.send(t, http.MethodGet, "/openapi/v1.postman.json", "", "If-None-Match",
		got.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, same.StatusCode)

	var collection struct {
		postmanItem
		Variable []struct{ Key, Value string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &collection))
	var values []string
	for _, v := range collection.Variable {
		values = append(values, "{{"+v.Key+"}}", v.Value)
	}
	fill := strings.NewReplacer(values...)
	require.Equal(t, w.url, fill.Replace("{{baseUrl}}"))
	require.Empty(t, fill.Replace("{{key}}"))

	token := w.loadDemo(t)
	called := map[string]bool{}
	for _, item := range collection.requests() {
		address := fill.Replace(item.Request.URL.Raw)
		require.NotContains(t, address, "{{")
		answer := w.send(t, item.Request.Method, strings.TrimPrefix(address, w.url),
			"Bearer "+token.String())
		require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", address, answer.body)
		called[strings.Split(item.Request.URL.Raw, "?")[0]] = true
	}
	require.Len(t, called, len(documentOf(t, w.url).Paths.Map()), "each operation")
}
