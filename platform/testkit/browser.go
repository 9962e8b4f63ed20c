package testkit

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"
)

// Browser keeps cookies, follows no redirect and runs no script.
type Browser struct {
	T       testing.TB
	BaseURL string
	Cookies map[string]string
	Address string // value of X-Forwarded-For; "": none
}

func NewBrowser(t testing.TB, baseURL string) *Browser {
	return &Browser{T: t, BaseURL: baseURL, Cookies: map[string]string{}}
}

// SignIn signs a person in, with the current code of the two-step secret if there is one.
func (b *Browser) SignIn(email, password, totpSecret string) *Browser {
	response := b.Post("/sign-in", Form("email", email, "password", password))
	require.Equal(b.T, "/sign-in?begun=1", response.Header.Get("Location"), response.Body)
	if totpSecret != "" {
		response = b.Post("/sign-in/code", Form("code", TOTPCode(b.T, totpSecret, time.Now())))
		require.Equal(b.T, "/", response.Header.Get("Location"), response.Body)
	}
	return b
}

func (b *Browser) SessionToken() string { return b.Cookies["__Host-dg"] }

var SameOrigin = http.Header{"Sec-Fetch-Site": {"same-origin"}}

func (b *Browser) Get(path string) Page { return b.Send(http.MethodGet, path, "", SameOrigin) }

func (b *Browser) Post(path string, form url.Values) Page {
	return b.Send(http.MethodPost, path, form.Encode(), SameOrigin)
}

// Send sends a request with the browser's cookies and stores those of the response. Each request
// has a new connection.
func (b *Browser) Send(method, path, body string, header http.Header) Page {
	request, err := http.NewRequestWithContext(b.T.Context(), method, b.BaseURL+path,
		strings.NewReader(body))
	require.NoError(b.T, err)
	request.Close = true
	request.Header.Set("Accept", "text/html,application/xhtml+xml")
	if body != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.Address != "" {
		request.Header.Set("X-Forwarded-For", b.Address)
	}
	maps.Copy(request.Header, header)
	for name, value := range b.Cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(b.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.T, err)
	for _, c := range response.Cookies() {
		require.True(b.T, c.Secure && c.HttpOnly && c.Path == "/" && c.Domain == "" &&
			c.SameSite == http.SameSiteLaxMode, "cookie %s", c.Name)
		if b.Cookies[c.Name] = c.Value; c.MaxAge < 0 || c.Value == "" {
			delete(b.Cookies, c.Name)
		}
	}
	return Page{response, string(text)}
}

// BeginTwoStep enters the password and returns the offered two-step secret.
func (b *Browser) BeginTwoStep(password string) string {
	b.Post("/account/two-step", Form("do", "begin", "current", password))
	secretMarkup := Submatch(b.T, `<code id="totp" translate="no">(.+)</code>`, b.Get("/account/two-step").Body)
	return strings.ReplaceAll(TextOf(secretMarkup), " ", "")
}

func Form(pairs ...string) url.Values {
	form := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		form.Set(pair[0], pair[1])
	}
	return form
}

func TOTPCode(t testing.TB, secret string, now time.Time) string {
	code, err := totp.GenerateCode(secret, now)
	require.NoError(t, err)
	return code
}
