package chaos

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit/pgtest"
)

// secretive is a dg whose people use every secret that they have: each is in secrets from the
// answer on that showed it.
type secretive struct {
	*apptest.Child
	dir     string
	conn    *apptest.Door
	secrets map[string]string
	pages   apptest.Seen
}

// What people type and are shown once is in no later page, log, metric, profile, stack dump, table
// or backup: passwords right and wrong, codes, two-step secrets, recovery codes, reset links,
// sessions and keys. PostgreSQL logs every statement.
func TestChaosSecretsOfPeopleAppearNowhere(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	s := &secretive{dir: apptest.NewFolder(t), secrets: map[string]string{}, pages: apptest.Seen{}}
	s.secrets["the secret key"] = strings.Repeat("5e", 32)
	s.Child = apptest.ServeOn(t, s.dir, "--demo", "--log-level", "debug", "--secret-key",
		s.secrets["the secret key"])
	apptest.Until(t, 5*time.Second, "there is no demo key", func() bool {
		return apptest.CurlLine.MatchString(s.Out.String())
	})
	s.conn = apptest.OpenDoor(t, s.dir)
	s.conn.Do(t, `alter role dg_app set log_statement = 'all'`)
	s.conn.Do(t,
		`select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ '^dg '`)
	maren := apptest.DemoAccount(t, "maren@harbour.example.com")
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	s.secrets["maren's password"] = maren.Password
	s.secrets["tomas's password"] = tomas.Password
	s.secrets["tomas's secret"] = tomas.TOTPSecret
	s.signInWrongly(t, tomas)
	s.enrol(t, maren)
	s.reset(t, tomas)

	shapeless := apptest.Seen{ // hold hashes by their nature
		"PostgreSQL's log":            s.postgresLog(t),
		"the backup":                  s.backup(t),
		"the table users":             apptest.Dump(t, s.conn, "users"),
		"the table of recovery codes": apptest.Dump(t, s.conn, "recovery_codes"),
		"the table of keys":           apptest.Dump(t, s.conn, "api_keys"),
		"pg_stat_activity": apptest.Read[string](t, s.conn,
			`select string_agg(query, E'\n') from pg_stat_activity`),
	}
	require.Regexp(t, `execute \S+: .*insert into .?sessions`,
		strings.ToLower(shapeless["PostgreSQL's log"]))
	for _, path := range []string{
		"/metrics", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1",
		"/debug/pprof/allocs?debug=1",
	} {
		s.pages[path] = operations(t, s.Child, path)
	}
	s.pages["dg doctor"] = s.doctor(t)
	s.pages["the audit log"] = apptest.Dump(t, s.conn, "audit_entries")
	require.NoError(t, s.Process.Signal(syscall.SIGQUIT))
	s.Status(10 * time.Second)
	s.pages["the log and the dump of SIGQUIT"] = s.Log.String()
	require.Contains(t, s.Log.String(), "goroutine 1 ")
	require.Contains(t, s.Log.String(), "route=/account/reset")
	s.pages.HoldsNone(t, s.secrets)
	// PostgreSQL is asked for this e-mail: it logs what it is told to log
	delete(s.secrets, "a password typed as the e-mail")
	require.Empty(t, shapeless.Named(s.secrets))
	t.Logf("%d secrets looked for in %d places", len(s.secrets), len(s.pages)+len(shapeless))
}

// signInWrongly types a password that is wrong, one as the e-mail, and a wrong code.
func (s *secretive) signInWrongly(t *testing.T, a demo.Account) {
	t.Helper()
	v := apptest.NewWebClient(t, s.URL)
	s.secrets["a wrong password"] = "wrong-" + uuid.NewString()
	s.secrets["a password typed as the e-mail"] = "typed-" + uuid.NewString()
	_, s.pages["a failed sign-in"], _ = v.Post("/sign-in", "email", a.Email, "password",
		s.secrets["a wrong password"])
	// which shows it to its reader
	status, _, _ := v.Post("/sign-in", "email", s.secrets["a password typed as the e-mail"],
		"password", "")
	require.Equal(t, http.StatusUnauthorized, status)
	_, _, location := v.Post("/sign-in", "email", a.Email, "password", a.Password)
	require.Equal(t, "/sign-in/code", location)
	s.secrets["a session of the first step"] = v.Cookies["__Host-dg"]
	s.secrets["a wrong code"] = "wrong code " + uuid.NewString()
	_, s.pages["a failed code"], _ = v.Post("/sign-in/code", "code", s.secrets["a wrong code"])
	v.Submit("/sign-in/code", "code", apptest.CodeOf(t, a.TOTPSecret))
	s.secrets["a session of the second step"] = v.Cookies["__Host-dg"]
}

var recoveryCode = regexp.MustCompile(`\b[0-9a-z]{4}(?:-[0-9a-z]{4}){3}\b`)

// enrol changes a password, turns two-step verification on, uses a recovery code and makes a key;
// then it looks at every page.
func (s *secretive) enrol(t *testing.T, a demo.Account) {
	t.Helper()
	v := apptest.NewWebClient(t, s.URL).SignIn(a)
	changed := "new-" + uuid.NewString()
	v.Submit("/account/password", "current", a.Password, "new", changed, "repeat", changed)
	s.secrets["the new password"] = changed
	offer := strings.ReplaceAll(
		apptest.RegexpGroup(t, apptest.OfferedSecret.String(), v.Get("/account/two-step")), " ", "",
	)
	_, codes, _ := v.Post("/account/two-step", "do", "on", "code", apptest.CodeOf(t, offer),
		"current", changed)
	s.secrets["the new two-step secret"] = offer
	found := recoveryCode.FindAllString(codes, -1)
	require.GreaterOrEqual(t, len(found), 10, codes)
	s.secrets["a recovery code"] = found[0]
	s.secrets["a used recovery code"] = found[1]
	again := apptest.NewWebClient(t, s.URL)
	again.Submit("/sign-in", "email", a.Email, "password", changed)
	_, location := again.Submit("/sign-in/code?recovery=1", "code", found[1])
	require.Equal(t, "/", location)
	page, _ := v.Submit("/o/harbour-and-vale/settings/api-keys/new", "name", "BI", "scopes",
		"forks:read", "expiry", "30")
	key := apptest.DemoKey.FindString(page)
	require.NotEmpty(t, key)
	s.secrets["the new key"] = strings.Split(key, "_")[3]
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), s.URL+"/api/v1/forks", key).StatusCode)
	s.secrets["a session"] = v.Cookies["__Host-dg"]
	settings := "/o/harbour-and-vale/settings/"
	for _, path := range []string{"/account", "/account/password", "/account/recovery-codes",
		"/docs", settings + "api-keys", settings + "api-keys/" + strings.Split(key, "_")[2],
		settings + "audit-log", settings + "audit-log.csv", settings + "organisation", "/nowhere"} {
		s.pages[path] = v.Get(path)
	}
}

// reset uses a link that the operator made.
func (s *secretive) reset(t *testing.T, a demo.Account) {
	t.Helper()
	c := apptest.Launch(t, "account", "reset", "--data-dir", s.dir, a.Email, "--base-url", s.URL)
	require.Zero(t, c.Status(time.Minute), "%s", c.Log.String())
	link := apptest.ResetLink.FindStringSubmatch(c.Out.String())
	require.NotNil(t, link, c.Out.String())
	s.secrets["a reset link"] = link[3]
	s.secrets["the password after it"] = "reset-" + uuid.NewString()
	v := apptest.NewWebClient(t, s.URL)
	v.Get(link[2])
	status, body, _ := v.Post(link[2], "token", link[3], "new", s.secrets["the password after it"],
		"repeat", s.secrets["the password after it"])
	require.Equal(t, http.StatusOK, status)
	s.pages["a used reset"] = body
	s.pages["a used link"] = v.Get(link[2])
	s.pages["the log of dg account"] = c.Log.String() + " "
}

func (s *secretive) postgresLog(t *testing.T) string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.dir, "postgres.log"))
	require.NoError(t, err)
	return string(log)
}

// backup is what is in the file of dg backup.
func (s *secretive) backup(t *testing.T) string {
	t.Helper()
	file, _ := apptest.BackUp(t, s.dir)
	programs := apptest.Read[string](t, s.conn, `select setting from pg_config where name = 'BINDIR'`)
	out, err := exec.CommandContext(t.Context(), filepath.Join(programs, "pg_restore"), "-f", "-",
		file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "maren@harbour.example.com")
	return string(out)
}

func (s *secretive) doctor(t *testing.T) string {
	t.Helper()
	c := apptest.Launch(t, "doctor", "--data-dir", s.dir, "--secret-key",
		s.secrets["the secret key"])
	c.Status(time.Minute)
	return c.Out.String() + c.Log.String()
}
