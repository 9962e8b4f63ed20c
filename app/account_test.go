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

// visitor is a browser without a window: it keeps cookies and follows no redirect.
type visitor struct {
	t       *testing.T
	base    string
	cookies map[string]string
}

// visit returns a visitor that nobody has signed in with.
func visit(t *testing.T, base string) *visitor {
	return &visitor{t: t, base: base, cookies: map[string]string{}}
}

// send sends a form, or with a nil one asks for the page, and returns the status, the body and where it leads to.
func (v *visitor) send(path string, form url.Values) (status int, body, location string) {
	v.t.Helper()
	method := http.MethodPost
	if form == nil {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	require.NoError(v.t, err)
	request.Header.Set("Accept", "text/html")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range v.cookies {
		request.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	c := client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := c.Do(request)
	require.NoError(v.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	for _, cookie := range response.Cookies() {
		if v.cookies[cookie.Name] = cookie.Value; cookie.Value == "" {
			delete(v.cookies, cookie.Name)
		}
	}
	return response.StatusCode, string(text), response.Header.Get("Location")
}

func (v *visitor) get(path string) string {
	v.t.Helper()
	_, body, _ := v.send(path, nil)
	return body
}

// post sends a form, given as name and value, from a page of the site.
func (v *visitor) post(path string, fields ...string) (status int, body, location string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.send(path, form)
}

// signIn signs the person in, with a code where two-step verification is on.
func (v *visitor) signIn(a demo.Account) *visitor {
	v.t.Helper()
	_, _, location := v.post("/sign-in", "email", a.Email, "password", a.Password)
	if a.TOTPSecret != "" {
		require.Equal(v.t, "/sign-in/code", location)
		_, _, location = v.post("/sign-in/code", "code", codeOf(v.t, a.TOTPSecret))
	}
	require.Equal(v.t, "/", location)
	return v
}

// stolen is another's browser with this one's session.
func (v *visitor) stolen() *visitor {
	thief := visit(v.t, v.base)
	thief.cookies["__Host-dg"] = v.cookies["__Host-dg"]
	return thief
}

// serveDemo serves the demo on a new folder, and returns a way into its database.
func serveDemo(t *testing.T, args ...string) (p *program, base string, db *door) {
	t.Helper()
	p = &program{t: t, dir: newFolder(t)}
	greeting, _ := p.serve(append([]string{"serve", "--demo"}, args...)...)
	return p, regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(greeting)[1], openDoor(t, p.dir)
}

var offeredSecret = regexp.MustCompile(`<code id="totp">([A-Z2-7 ]+)</code>`)

// Somebody with a stolen session cookie, and nothing else, changes neither the password nor two-step verification.
func TestStolenSessionChangesNothing(t *testing.T) {
	t.Parallel()
	_, base, db := serveDemo(t)
	maren, tomas := demoAccount(t, "maren@harbour.example.com"), demoAccount(t, "tomas@harbour.example.com")
	before := read[string](t, db, `select string_agg(concat_ws(' ', id, password_hash, totp_secret), ',' order by id) from users`)
	unchanged := func(deed string) {
		t.Helper()
		require.Equal(t, before, read[string](t, db, `select string_agg(concat_ws(' ', id, password_hash, totp_secret), ',' order by id) from users`), deed)
	}
	thief := visit(t, base).signIn(maren).stolen()
	offer := offeredSecret.FindStringSubmatch(thief.get("/account/two-step"))
	require.NotNil(t, offer)
	code := codeOf(t, strings.ReplaceAll(offer[1], " ", ""))
	for _, password := range []string{"", "a wrong password"} {
		status, _, _ := thief.post("/account/two-step", "do", "on", "code", code, "current", password)
		require.Equal(t, http.StatusUnprocessableEntity, status)
		unchanged("two-step on")
	}

	// Where two-step is on, the password alone is not enough either.
	thief = visit(t, base).signIn(tomas).stolen()
	replacement := "battery horse staple"
	for _, path := range []string{"/account/password", "/account/two-step", "/account/recovery-codes"} {
		for _, proof := range [][2]string{{"", ""}, {tomas.Password, ""}, {tomas.Password, "000000"}, {"", codeOf(t, tomas.TOTPSecret)}} {
			status, _, _ := thief.post(path, "do", "off", "current", proof[0], "code", proof[1], "new", replacement, "repeat", replacement)
			require.Equal(t, http.StatusUnprocessableEntity, status, "%s %q", path, proof)
			unchanged(path)
		}
	}
}

// The account says what was changed, once, and never because an address says so.
func TestAccountSaysOnlyWhatWasChanged(t *testing.T) {
	t.Parallel()
	_, base, _ := serveDemo(t)
	v := visit(t, base).signIn(demoAccount(t, "maren@harbour.example.com"))
	for _, changed := range []string{"two-step-on", "two-step-off", "password"} {
		require.NotContains(t, v.get("/account?changed="+changed), "Your other sessions have ended.", changed)
	}
	_, _, location := v.post("/account/password", "current", demoAccount(t, "maren@harbour.example.com").Password, "new", "battery horse staple", "repeat", "battery horse staple")
	require.Equal(t, "/account", location)
	require.Contains(t, v.get("/account"), "Password changed.")
	require.NotContains(t, v.get("/account"), "Password changed.", "it is said once")
}

// The sign-in sends people who cannot get in to whoever runs the service: owners cannot help.
func TestSignInSaysWhoCanHelp(t *testing.T) {
	t.Parallel()
	_, base, _ := serveDemo(t)
	v := visit(t, base)
	tomas := demoAccount(t, "tomas@harbour.example.com")
	pages := []string{v.get("/sign-in")}
	v.post("/sign-in", "email", tomas.Email, "password", tomas.Password)
	for _, page := range append(pages, v.get("/sign-in/code")) {
		require.NotContains(t, page, "owner")
		require.Contains(t, page, "hoever runs this service")
	}
}

// A secret of two-step verification is in no table in clear where there is a key, whether the database had it before or an
// import brings it in; a key gives way to the next. With another key the person is told that codes cannot be checked, and
// the log names the setting. Without a key the start warns.
func TestSecretsAreEncryptedWithTheKey(t *testing.T) {
	t.Parallel()
	first, second, third := strings.Repeat("0f", 32), strings.Repeat("1e", 32), strings.Repeat("2d", 32)
	p := &program{t: t, dir: newFolder(t)}
	tomas := demoAccount(t, "tomas@harbour.example.com")
	signIn := func(args ...string) (status int, location string) {
		t.Helper()
		greeting, stop := p.serve(append([]string{"serve", "--demo"}, args...)...)
		defer stop()
		db := openDoor(t, p.dir)
		defer db.close(t)
		db.exec(t, `update users set totp_last_step = 0 where totp_secret is not null`)
		require.Equal(t, len(args) == 0, strings.Contains(dump(t, db, "users"), tomas.TOTPSecret), "%v", args)
		v := visit(t, regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(greeting)[1])
		v.post("/sign-in", "email", tomas.Email, "password", tomas.Password)
		status, _, location = v.post("/sign-in/code", "code", codeOf(t, tomas.TOTPSecret))
		return status, location
	}
	const clear = "two-step secrets are stored in clear"
	for _, args := range [][]string{{}, {"--secret-key", first}, {"--secret-key", second, "--secret-key-previous", first}, {"--secret-key", second}} {
		_, location := signIn(args...)
		require.Equal(t, "/", location, "%v", args)
		require.Equal(t, 1, strings.Count(p.log.String(), clear), "said at the start without a key, once")
	}
	require.Contains(t, p.log.String(), "set DG_SECRET_KEY to 32 random bytes")
	status, location := signIn("--secret-key", third)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Empty(t, location)
	require.Contains(t, p.log.String(), "Set DG_SECRET_KEY to that key")
	require.Regexp(t, `request failed.*DG_SECRET_KEY`, p.log.String())
	for _, secret := range []string{first, second, third, tomas.TOTPSecret} {
		require.NotContains(t, p.log.String(), secret)
	}
	code, out := p.run("migrate", "--secret-key", third, "--secret-key-previous", second)
	require.Zero(t, code, out)
	_, location = signIn("--secret-key", third)
	require.Equal(t, "/", location)

	fresh := &program{t: t, dir: newFolder(t)}
	code, out = fresh.run("demo", "--secret-key", first)
	require.Zero(t, code, out)
	require.NotContains(t, dump(t, openDoor(t, fresh.dir), "users"), tomas.TOTPSecret)
}

var resetLink = regexp.MustCompile(`(http://\S+)(/account/reset\?token=([A-Za-z0-9_-]{43}))`)

// dg account reset prints a link by which somebody without password and phone sets a new password, once. Two-step
// verification is off afterwards and all sessions have ended. Its token is in no table and no log.
func TestAccountResetByLink(t *testing.T) {
	t.Parallel()
	p, base, db := serveDemo(t)
	tomas := demoAccount(t, "tomas@harbour.example.com")
	before := visit(t, base).signIn(tomas)
	status, out := p.run("account", "reset", "nobody@harbour.example.com", "--base-url", base)
	require.Equal(t, 1, status)
	require.Contains(t, out, "nobody has this e-mail")
	issue := func() (path, token string) {
		status, out := p.run("account", "reset", strings.ToUpper(tomas.Email), "--base-url", base)
		require.Zero(t, status, out)
		require.Contains(t, out, "two-step verification and the recovery codes are removed")
		link := resetLink.FindStringSubmatch(out)
		require.NotNil(t, link, out)
		require.Equal(t, base, link[1])
		return link[2], link[3]
	}
	replaced, _ := issue()
	path, token := issue()
	require.NotContains(t, dump(t, db, "account_resets"), token)

	replacement := "battery horse staple"
	v := visit(t, base)
	status, _, _ = v.send(replaced, nil)
	require.Equal(t, http.StatusNotFound, status, "a newer link has taken its place")
	require.Contains(t, v.get(path), "This turns off two-step verification")
	for _, wrong := range [][2]string{{"short", "short"}, {replacement, replacement + "r"}} {
		status, body, _ := v.post(path, "token", token, "new", wrong[0], "repeat", wrong[1])
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Contains(t, body, `name="token" value="`+token+`"`)
	}
	require.NotEmpty(t, before.get("/account"))
	status, body, _ := v.post(path, "token", token, "new", replacement, "repeat", replacement)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "Password set")
	_, _, location := before.send("/account", nil)
	require.Contains(t, location, "/sign-in", "all sessions end")
	status, _, _ = v.send(path, nil)
	require.Equal(t, http.StatusNotFound, status, "it works once")
	tomas.Password, tomas.TOTPSecret = replacement, ""
	visit(t, base).signIn(tomas)
	require.NotContains(t, p.log.String(), token)
}
