package main

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

	"dg/app/demo"
	"dg/platform/testkit/pgtest"
)

// secretive is a dg whose people use every secret that they have: each is in secrets from the answer on that showed it.
type secretive struct {
	*child
	dir     string
	db      *door
	secrets map[string]string
	pages   seen
}

// What people type and are shown once is in no later page, log, metric, profile, stack dump, table or backup: passwords right
// and wrong, codes, two-step secrets, recovery codes, reset links, sessions and keys. PostgreSQL logs every statement.
func TestChaosSecretsOfPeopleAppearNowhere(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	s := &secretive{dir: newFolder(t), secrets: map[string]string{}, pages: seen{}}
	s.secrets["the secret key"] = strings.Repeat("5e", 32)
	s.child = serveOn(t, s.dir, "--demo", "--log-level", "debug", "--secret-key", s.secrets["the secret key"])
	until(t, 5*time.Second, "there is no demo key", func() bool { return curlLine.MatchString(s.out.String()) })
	s.db = openDoor(t, s.dir)
	s.db.exec(t, `alter role dg_app set log_statement = 'all'`)
	s.db.exec(t, `select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ '^dg '`)
	maren, tomas := demoAccount(t, "maren@harbour.example.com"), demoAccount(t, "tomas@harbour.example.com")
	s.secrets["maren's password"], s.secrets["tomas's password"], s.secrets["tomas's secret"] = maren.Password, tomas.Password, tomas.TOTPSecret
	s.signInWrongly(t, tomas)
	s.enrol(t, maren)
	s.reset(t, tomas)

	shapeless := seen{ // hold hashes by their nature
		"PostgreSQL's log": s.postgresLog(t), "the backup": s.backup(t),
		"the table users": dump(t, s.db, "users"), "the table of recovery codes": dump(t, s.db, "recovery_codes"), "the table of keys": dump(t, s.db, "api_keys"),
		"pg_stat_activity": read[string](t, s.db, `select string_agg(query, E'\n') from pg_stat_activity`),
	}
	require.Regexp(t, `execute \S+: .*insert into .?sessions`, strings.ToLower(shapeless["PostgreSQL's log"]))
	for _, path := range []string{"/metrics", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/debug/pprof/allocs?debug=1"} {
		s.pages[path] = s.operations(t, path)
	}
	s.pages["dg doctor"] = s.doctor(t)
	s.pages["the audit log"] = dump(t, s.db, "audit_entries")
	require.NoError(t, s.Process.Signal(syscall.SIGQUIT))
	s.status(10 * time.Second)
	s.pages["the log and the dump of SIGQUIT"] = s.log.String()
	require.Contains(t, s.log.String(), "goroutine 1 ")
	require.Contains(t, s.log.String(), "route=/account/reset")
	s.pages.holdsNone(t, s.secrets)
	delete(s.secrets, "a password typed as the e-mail") // PostgreSQL is asked for this e-mail: it logs what it is told to log
	require.Empty(t, shapeless.named(s.secrets))
	t.Logf("%d secrets looked for in %d places", len(s.secrets), len(s.pages)+len(shapeless))
}

// signInWrongly types a password that is wrong, one as the e-mail, and a wrong code.
func (s *secretive) signInWrongly(t *testing.T, a demo.Account) {
	t.Helper()
	v := newWebClient(t, s.url)
	s.secrets["a wrong password"], s.secrets["a password typed as the e-mail"] = "wrong-"+uuid.NewString(), "typed-"+uuid.NewString()
	_, s.pages["a failed sign-in"], _ = v.post("/sign-in", "email", a.Email, "password", s.secrets["a wrong password"])
	status, _, _ := v.post("/sign-in", "email", s.secrets["a password typed as the e-mail"], "password", "") // which shows it to its reader
	require.Equal(t, http.StatusUnauthorized, status)
	_, _, location := v.post("/sign-in", "email", a.Email, "password", a.Password)
	require.Equal(t, "/sign-in/code", location)
	s.secrets["a session of the first step"] = v.cookies["__Host-dg"]
	s.secrets["a wrong code"] = "wrong code " + uuid.NewString()
	_, s.pages["a failed code"], _ = v.post("/sign-in/code", "code", s.secrets["a wrong code"])
	v.submit("/sign-in/code", "code", codeOf(t, a.TOTPSecret))
	s.secrets["a session of the second step"] = v.cookies["__Host-dg"]
}

var recoveryCode = regexp.MustCompile(`\b[0-9a-z]{4}(?:-[0-9a-z]{4}){3}\b`)

// enrol changes a password, turns two-step verification on, uses a recovery code and makes a key; then it looks at every page.
func (s *secretive) enrol(t *testing.T, a demo.Account) {
	t.Helper()
	v := newWebClient(t, s.url).signIn(a)
	changed := "new-" + uuid.NewString()
	v.submit("/account/password", "current", a.Password, "new", changed, "repeat", changed)
	s.secrets["the new password"] = changed
	offer := strings.ReplaceAll(regexpGroup(t, offeredSecret.String(), v.get("/account/two-step")), " ", "")
	_, codes, _ := v.post("/account/two-step", "do", "on", "code", codeOf(t, offer), "current", changed)
	s.secrets["the new two-step secret"] = offer
	found := recoveryCode.FindAllString(codes, -1)
	require.GreaterOrEqual(t, len(found), 10, codes)
	s.secrets["a recovery code"], s.secrets["a used recovery code"] = found[0], found[1]
	again := newWebClient(t, s.url)
	again.submit("/sign-in", "email", a.Email, "password", changed)
	_, location := again.submit("/sign-in/code?recovery=1", "code", found[1])
	require.Equal(t, "/", location)
	page, _ := v.submit("/o/harbour-and-vale/settings/api-keys/new", "name", "BI", "scopes", "forks:read", "expiry", "30")
	key := demoKey.FindString(page)
	require.NotEmpty(t, key)
	s.secrets["the new key"] = strings.Split(key, "_")[3]
	require.Equal(t, http.StatusOK, ask(t, client(), s.url+"/api/v1/forks", key).StatusCode)
	s.secrets["a session"] = v.cookies["__Host-dg"]
	settings := "/o/harbour-and-vale/settings/"
	for _, path := range []string{"/account", "/account/password", "/account/recovery-codes", "/docs", settings + "api-keys", settings + "api-keys/" + strings.Split(key, "_")[2],
		settings + "audit-log", settings + "audit-log.csv", settings + "organisation", "/nowhere"} {
		s.pages[path] = v.get(path)
	}
}

// reset uses a link that the operator made.
func (s *secretive) reset(t *testing.T, a demo.Account) {
	t.Helper()
	c := launch(t, "account", "reset", "--data-dir", s.dir, a.Email, "--base-url", s.url)
	require.Zero(t, c.status(time.Minute), "%s", c.log.String())
	link := resetLink.FindStringSubmatch(c.out.String())
	require.NotNil(t, link, c.out.String())
	s.secrets["a reset link"], s.secrets["the password after it"] = link[3], "reset-"+uuid.NewString()
	v := newWebClient(t, s.url)
	v.get(link[2])
	status, body, _ := v.post(link[2], "token", link[3], "new", s.secrets["the password after it"], "repeat", s.secrets["the password after it"])
	require.Equal(t, http.StatusOK, status)
	s.pages["a used reset"] = body
	s.pages["a used link"] = v.get(link[2])
	s.pages["the log of dg account"] = c.log.String() + " "
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
	file, _ := backUp(t, s.dir)
	programs := read[string](t, s.db, `select setting from pg_config where name = 'BINDIR'`)
	out, err := exec.CommandContext(t.Context(), filepath.Join(programs, "pg_restore"), "-f", "-", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "maren@harbour.example.com")
	return string(out)
}

func (s *secretive) doctor(t *testing.T) string {
	t.Helper()
	c := launch(t, "doctor", "--data-dir", s.dir, "--secret-key", s.secrets["the secret key"])
	c.status(time.Minute)
	return c.out.String() + c.log.String()
}
