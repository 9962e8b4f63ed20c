package main

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
)

// webClient is a browser without scripts: it keeps cookies and follows no redirect.
type webClient struct {
	t       *testing.T
	base    string
	cookies map[string]string
}

func newWebClient(t *testing.T, base string) *webClient {
	return &webClient{t: t, base: base, cookies: map[string]string{}}
}

// send posts the form or, when it is nil, gets the page.
func (c *webClient) send(path string, form url.Values) (status int, body, location string) {
	c.t.Helper()
	method := http.MethodPost
	if form == nil {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(form.Encode()))
	require.NoError(c.t, err)
	request.Header.Set("Accept", "text/html")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	for name, value := range c.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	transport := client()
	transport.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := transport.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	for _, cookie := range response.Cookies() {
		if c.cookies[cookie.Name] = cookie.Value; cookie.Value == "" {
			delete(c.cookies, cookie.Name)
		}
	}
	return response.StatusCode, string(text), response.Header.Get("Location")
}

func (c *webClient) get(path string) string {
	c.t.Helper()
	_, body, _ := c.send(path, nil)
	return body
}

// post sends a form of names and values, as a page of the site does.
func (c *webClient) post(path string, fields ...string) (status int, body, location string) {
	c.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return c.send(path, form)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)"`)

// submit opens a page and sends its form: the fields, and what is hidden in the page.
func (c *webClient) submit(path string, fields ...string) (body, location string) {
	c.t.Helper()
	for _, hidden := range hiddenField.FindAllStringSubmatch(c.get(path), -1) {
		fields = append(fields, hidden[1], hidden[2])
	}
	status, body, location := c.post(path, fields...)
	require.Less(c.t, status, 400, "%s: %s", path, body)
	return body, location
}

// signIn signs the person in, with a code where two-step verification is on.
func (c *webClient) signIn(a demo.Account) *webClient {
	c.t.Helper()
	_, location := c.submit("/sign-in", "email", a.Email, "password", a.Password)
	if a.TOTPSecret != "" {
		require.Equal(c.t, "/sign-in/code", location)
		_, location = c.submit("/sign-in/code", "code", codeOf(c.t, a.TOTPSecret))
	}
	require.Equal(c.t, "/", location)
	return c
}

// stolen returns another browser with this one's session.
func (c *webClient) stolen() *webClient {
	thief := newWebClient(c.t, c.base)
	thief.cookies["__Host-dg"] = c.cookies["__Host-dg"]
	return thief
}
