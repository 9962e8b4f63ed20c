package system

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/apikeys"
	"dg/modules/audit"
)

// The secrets of these tests.
const (
	databasePassword = "hunter2-Tr0ub4dor"
	// of nothing
	passwordHash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$W6VvX0Vw3bMkxlxmNYSYbWUfRzDwE0YhNqLyBkyfPmI"
	totpSecret   = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU"
)

// rules.md, Keys: only a hash of the secret is stored, and keys are never logged. No secret is in
// the output, the metrics, the profiles, a response, PostgreSQL's log (even where it logs every
// statement) or the tables.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	d := apptest.OpenDoor(t, x.Dir)
	for _, role := range []string{"dg_app", "dg_owner"} {
		d.Do(t, `alter role `+role+` password '`+databasePassword+`'`)
	}
	requirePasswords(t, d, x.Dir)
	d.Do(t, `alter role dg_app set log_statement = 'all'`)
	d.Do(t, `alter role dg_owner set log_statement = 'all'`)

	serving := x.URL(url.UserPassword("dg_app", databasePassword))
	owner := x.URL(url.UserPassword("dg_owner", databasePassword))
	urls := []string{"--database-url", serving, "--migrate-database-url", owner}
	c := apptest.ServeWith(t, append([]string{"--log-level", "debug", "--demo"}, urls...)...)
	demoKey, ok := apikeys.ParseToken(c.DemoToken())
	require.True(t, ok)

	s := apptest.Seen{}
	secrets := map[string]string{
		"the database's password": databasePassword,
		"a TOTP secret":           totpSecret,
		"a password hash":         passwordHash[30:],
		"the demo key's secret":   demoKey.Secret,
	}
	for i, text := range importSecrets(t, urls) {
		s[fmt.Sprintf("the output of import %d", i)] = text
	}
	organisation := apptest.Read[string](t, d, `select org_id::text from api_keys`)
	key := makeKeyIn(t, serving, owner, organisation, "BI")
	other := makeKeyIn(t, serving, owner, organisation, "Other")
	secrets["a key's secret"] = key.Secret
	secrets["another key's secret"] = other.Secret
	secrets["a secret that fits no key"] = strings.Repeat("wrong", 8)
	useEverywhere(t, s, c.URL, key, other)
	a, actor := beside(t, serving, owner, organisation)
	require.NoError(t, a.Keys.Manager.Revoke(t.Context(), actor, other.ID, audit.Request{}))
	s["an answer to a revoked key"] = answer(t, c.URL+"/api/v1/forks", "Bearer "+other.String())

	for _, path := range []string{
		"/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2",
		"/debug/pprof/heap?debug=1",
	} {
		s[path] = answer(t, "http://"+c.OpsAddress(t)+path, "")
	}
	c.Stop()
	s["the log of dg"] = c.Log.String()
	require.Contains(t, s["the log of dg"], "msg=request", "the access log is part of it")
	log, err := os.ReadFile(filepath.Join(x.Dir, "postgres.log"))
	require.NoError(t, err)
	s["PostgreSQL's log"] = string(log)
	require.Regexp(t, `(?i)execute \S+: .*insert into .?audit_entries`, s["PostgreSQL's log"],
		"it logs every statement")
	for _, table := range []string{
		"api_keys", "api_key_windows", "audit_entries", "organisations", "forks",
	} {
		s["the table "+table] = apptest.Dump(t, d, table)
	}
	s.HoldsNone(t, secrets)
	// What the tables of people hold is theirs: the hash and the second secret. No key is there.
	people := apptest.Seen{
		"the table users":   apptest.Dump(t, d, "users"),
		"the table players": apptest.Dump(t, d, "players"),
	}
	require.Contains(t, people["the table users"], totpSecret)
	for _, name := range []string{
		"the database's password", "a key's secret", "the demo key's secret",
	} {
		require.Empty(t, people.Named(map[string]string{name: secrets[name]}))
	}
	// the key, and its curl line
	greeting := apptest.Seen{"the greeting": strings.Replace(c.Out.String(), demoKey.Secret, "", 2)}
	greeting.HoldsNone(t, secrets)
}

// requirePasswords makes the server ask for passwords, except of the superuser.
func requirePasswords(t *testing.T, d *apptest.Door, dir string) {
	t.Helper()
	hba := filepath.Join(dir, "data", "pg_hba.conf")
	text, err := os.ReadFile(hba)
	require.NoError(t, err)
	require.NoError(t,
		os.WriteFile(hba, append([]byte("local all dg_app,dg_owner scram-sha-256\n"), text...),
			0o600))
	d.Do(t, `select pg_reload_conf()`)
	apptest.Until(t, 5*time.Second, "the rule is not read", func() bool {
		return apptest.Read[bool](t, d, `select exists (select from pg_hba_file_rules
			where auth_method = 'scram-sha-256' and error is null)`)
	})
}

// importSecrets imports a person, and files with errors in and around the secrets. It returns what
// was printed.
func importSecrets(t *testing.T, database []string) (printed []string) {
	t.Helper()
	person := func(id, email, hash, totp string) string {
		return fmt.Sprintf(
			`{"type":"user","id":%q,"email":%q,"name":"Ann","passwordHash":%q,"totpSecret":%q}`, id,
			email, hash, totp,
		)
	}
	id := uuid.NewString()
	of := func(email string) string {
		return person(uuid.NewString(), email, passwordHash, totpSecret)
	}
	valid := person(id, "ann@example.org", passwordHash, totpSecret)
	for i, c := range []struct {
		text   string
		status int
	}{
		{valid, 0},
		{of("ANN@example.org"), 1},
		{person(uuid.NewString(), "ben@example.org", "md5"+passwordHash, totpSecret), 1},
		{person(uuid.NewString(), "cat@example.org", passwordHash, totpSecret+"!"), 1},
		{of("dan@example.org") + "}", 1},
		{strings.Replace(of("eve@example.org"), `"name":"Ann"`, `"name":7`, 1), 1},
		{strings.Replace(of("fay@example.org"), `passwordHash`, `passwordhash`, 1), 1},
		{strings.Replace(of("gil@example.org"), `"user"`, `"User"`, 1), 1},
		{`"` + passwordHash + totpSecret + `"`, 1},
		{valid + "\n" + valid, 1},
	} {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.ndjson", i))
		require.NoError(t, os.WriteFile(file, []byte(c.text+"\n"), 0o600))
		im := apptest.Launch(t, append(append([]string{"import"}, database...), file)...)
		require.Equal(t, c.status, im.Status(time.Minute), "%s: %s", c.text, im.Log.String())
		printed = append(printed, im.Out.String()+im.Log.String()+" ")
	}
	return printed
}

// useEverywhere sends the keys in every valid and invalid way, and keeps the responses.
func useEverywhere(t *testing.T, s apptest.Seen, base string, key, other apikeys.Token) {
	t.Helper()
	bearer := "Bearer " + key.String()
	_, forks := apptest.FetchFrom(apptest.NewClient(), base+"/api/v1/forks", key.String())
	fork := firstFork(t, string(forks))
	period := "?from=2026-01-01&to=2026-03-31"
	wrong := "dg_live_" + key.ID + "_" + strings.Repeat("wrong", 20)[:len(key.Secret)]
	for i, request := range [][2]string{
		{"/api/v1/forks", bearer},
		{fork, "bearer   " + key.String()},
		{fork + "/stats" + period, bearer},
		{fork + "/stats?from=" + key.Secret, bearer},
		{fork + "/exports/csv" + period, bearer},
		{fork + "/exports/csv" + period + "&groupId=" + uuid.NewString(), bearer},
		{"/api/v1/forks/" + uuid.NewString(), bearer},
		{"/api/v1/forks", "Bearer " + wrong},
		{"/api/v1/forks", "Bearer " + other.String() + "x"},
		{"/api/v1/forks", "Bearer  x " + other.String()},
		{"/api/v1/forks", "Basic " + base64.StdEncoding.EncodeToString([]byte("dg:"+key.String()))},
		{"/api/v1/forks", "Basic " + key.String()},
		{"/api/v1/forks?key=" + key.String() + "&access_token=" + key.String(), ""},
		{"/openapi/v1.json", bearer},
		{"/nowhere?key=" + key.String(), "Bearer " + wrong},
		{"/api/v2/forks", "x " + other.String() + " y"},
		{"/healthz?token=" + key.String(), ""},
		{"/api/v1/forks/%zz", bearer},
		{"/x/" + strings.ReplaceAll(key.String(), "_", "%5F"), ""},
		{"/x/" + strings.ReplaceAll(key.String(), "_", "%255f"), "Bearer " + other.String()},
		{"/x/" + strings.ReplaceAll(key.String(), "_", "__"), "Bearer " + other.String()},
		{"/x/DG_LIVE_" + key.ID + "_" + key.Secret, "Bearer " + other.String()},
		{"/api/v1/forks/" + strings.ReplaceAll(key.String(), "_", "%5F") + "/stats" + period, bearer},
	} {
		s[fmt.Sprintf("answer %d", i)] = answer(t, base+request[0], request[1])
	}
	response := apptest.Ask(t, apptest.NewClient(), base+"/api/v1/forks", "", "Cookie",
		"key="+key.String(), "User-Agent", "test")
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	response = apptest.Ask(t, apptest.NewClient(), base+"/healthz", key.String(), "User-Agent",
		"DG_LIVE_"+key.ID+"%5F"+key.Secret)
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

// answer returns a response with its headers and body.
func answer(t *testing.T, url, authorization string) string {
	t.Helper()
	var headers []string
	if authorization != "" {
		headers = []string{"Authorization", authorization}
	}
	request := strings.Replace(url, "%zz", "%25zz", 1)
	response := apptest.Ask(t, apptest.NewClient(), request, "", headers...)
	return fmt.Sprint(response.Status, response.Header, apptest.ReadAll(t, response))
}

// The database refuses dg or cannot be reached.
func TestErrorsDoNotShowTheDatabasePassword(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	d := apptest.OpenDoor(t, x.Dir)
	d.Do(t, `alter role dg_app password 'another'`)
	requirePasswords(t, d, x.Dir)
	for name, database := range map[string]string{
		"a wrong password":     x.URL(url.UserPassword("dg_app", databasePassword)),
		"nobody listens":       "postgres://dg_app:" + databasePassword + "@127.0.0.1:1/dg",
		"no such host":         "postgres://dg_app:" + databasePassword + "@host.invalid/dg",
		"a port that is none":  "postgres://dg_app:" + databasePassword + "@127.0.0.1:port/dg",
		"an unencoded % and /": "postgres://dg_app:" + databasePassword + "%/@127.0.0.1/dg",
		"keywords": "host=127.0.0.1 port=1 user=dg_app password=" +
			databasePassword,
		"keywords, quoted": "host=127.0.0.1 port=1 user=dg_app password='" +
			databasePassword + " x' sslmode=nonsense",
		"no such file of a socket": "postgres://dg_app:" + databasePassword + "@/dg?host=/nowhere",
	} {
		for _, args := range [][]string{
			{"serve", "--addr", "127.0.0.1:0"}, {"migrate"}, {"import", "/dev/null"}, {"demo"},
		} {
			status, out, err := apptest.Command(t,
				append(append([]string{"--log-level", "debug"}, args...), "--database-url",
					database)...)
			require.Equal(t, 1, status, "%s: %s", name, err)
			require.NotContains(t, out+err, databasePassword, name)
			require.Regexp(t, `(?m)^dg: .*(database|connect)`, err, name)
		}
	}
}
