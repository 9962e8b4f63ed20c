package apptest

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit"
)

// WebClient is a browser without scripts: it keeps cookies and follows no redirect.
type WebClient struct {
	T       *testing.T
	Base    string
	Cookies map[string]string
	Address string // in X-Forwarded-For; "": none
}

// NewWebClient is a signed-out browser.
func NewWebClient(t *testing.T, base string) *WebClient {
	return &WebClient{T: t, Base: base, Cookies: map[string]string{}}
}

// Send posts the form or, when it is nil, gets the page.
func (c *WebClient) Send(path string, form url.Values) (status int, body, location string) {
	c.T.Helper()
	method := http.MethodPost
	if form == nil {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(c.T.Context(), method, c.Base+path,
		strings.NewReader(form.Encode()))
	require.NoError(c.T, err)
	request.Header.Set("Accept", "text/html")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if c.Address != "" {
		request.Header.Set("X-Forwarded-For", c.Address)
	}
	for name, value := range c.Cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := NewClient().Do(request)
	require.NoError(c.T, err)
	defer response.Body.Close()
	text := ReadAll(c.T, response)
	for _, cookie := range response.Cookies() {
		if c.Cookies[cookie.Name] = cookie.Value; cookie.Value == "" {
			delete(c.Cookies, cookie.Name)
		}
	}
	return response.StatusCode, text, response.Header.Get("Location")
}

// Get opens a page and returns it.
func (c *WebClient) Get(path string) string {
	c.T.Helper()
	_, body, _ := c.Send(path, nil)
	return body
}

// Post sends a form, given as name, value.
func (c *WebClient) Post(path string, fields ...string) (status int, body, location string) {
	c.T.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return c.Send(path, form)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)"`)

// Submit opens a page and sends its form with the fields and the hidden fields.
func (c *WebClient) Submit(path string, fields ...string) (body, location string) {
	c.T.Helper()
	for _, hidden := range hiddenField.FindAllStringSubmatch(c.Get(path), -1) {
		fields = append(fields, hidden[1], hidden[2])
	}
	status, body, location := c.Post(path, fields...)
	require.Less(c.T, status, 400, "%s: %s", path, body)
	return body, location
}

// SignIn signs the person in, with a code where two-step verification is on.
func (c *WebClient) SignIn(a demo.Account) *WebClient {
	c.T.Helper()
	_, location := c.Submit("/sign-in", "email", a.Email, "password", a.Password)
	require.Equal(c.T, "/sign-in?begun=1", location)
	if a.TOTPSecret != "" {
		_, location = c.Submit("/sign-in/code", "code", CodeOf(c.T, a.TOTPSecret))
		require.Equal(c.T, "/", location)
	}
	return c
}

// Session is the cookie of the session, as name and value.
func (c *WebClient) Session() string { return "__Host-dg=" + c.Cookies["__Host-dg"] }

// SessionOf signs a person of the test in and returns the session's cookie.
func SessionOf(t *testing.T, base, email string) string {
	t.Helper()
	a := demo.Account{Email: email, Password: testkit.Password}
	return NewWebClient(t, base).SignIn(a).Session()
}

// OfferedSecret finds the new secret on the page that sets up two-step verification.
var OfferedSecret = regexp.MustCompile(`<code id="totp">([A-Z2-7 ]+)</code>`)

// ResetLink finds the link that dg account reset prints.
var ResetLink = regexp.MustCompile(`(http://\S+)(/account/reset\?token=([A-Za-z0-9_-]{43}))`)

// DemoAccount is the person of the demo with the e-mail.
func DemoAccount(t *testing.T, email string) demo.Account {
	t.Helper()
	at := slices.IndexFunc(demo.Accounts, func(a demo.Account) bool { return a.Email == email })
	require.GreaterOrEqual(t, at, 0, "the demo has no %s", email)
	return demo.Accounts[at]
}

// CodeOf is the current code of a two-step secret.
func CodeOf(t *testing.T, secret string) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	return code
}

// RegexpGroup returns the first group of the pattern in the text.
func RegexpGroup(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, found, "no %s in:\n%s", pattern, text)
	return found[1]
}
