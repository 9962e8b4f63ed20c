package commands_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// Settings come from flags, variables, the configuration file and files of secrets, in this order;
// dg config says from where, and shows no secret.
func TestConfigShowsEffectiveSettings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	key := write("key", strings.Repeat("ab", 32)+"\n")
	file := write("dg.env",
		"# settings\nDG_ADDR=127.0.0.1:1\nDG_OPS_ADDR=127.0.0.1:2\nDG_BASE_URL=https://file.example\n"+
			"DG_DATABASE_URL=postgres://dg_app:p$a'ss@db.example/dg\nDG_SECRET_KEY_FILE="+key+"\n")
	t.Setenv("DG_CONFIG", file)
	t.Setenv("DG_OPS_ADDR", "127.0.0.1:3")
	status, out, problem := apptest.Command(t, "config", "--base-url", "https://flag.example")
	require.Zero(t, status, problem)
	for _, line := range []string{
		"DG_ADDR=127.0.0.1:1  # file", "DG_OPS_ADDR=127.0.0.1:3  # environment",
		"DG_BASE_URL=https://flag.example  # flag",
		"DG_POOL_AUTH=11  # default", "DG_DATABASE_URL=postgres://dg_app:***@db.example/dg  # file",
		"DG_SECRET_KEY=(hidden)  # file",
	} {
		require.Contains(t, strings.Split(out, "\n"), line)
	}
	require.NotRegexp(t, regexp.QuoteMeta("p$a'ss")+"|abab", out)
}

// Every setting that takes a URL may hold a password, also where dg serve refuses it. dg config
// shows none, nor any of a header.
func TestConfigShowsNoPassword(t *testing.T) {
	t.Parallel()
	for value, shown := range map[string]string{
		"http://dg:hunter2@collector.example:4318":         "http://***@collector.example:4318",
		"http://dg:hun@ter2 x@collector.example/otlp":      "http://***@collector.example/otlp",
		"dg:hunter2@collector.example":                     "***@collector.example",
		"https://collector.example/otlp?api-token=hunter2": "https://collector.example/otlp?***",
		"https://collector.example/otlp":                   "https://collector.example/otlp",
	} {
		status, out, problem := apptest.Command(t, "config",
			"--otlp-endpoint", value, "--base-url", value, "--otlp-headers",
			"authorization=hunter2")
		require.Zero(t, status, problem)
		for _, line := range []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + shown, "DG_BASE_URL=" + shown,
			"OTEL_EXPORTER_OTLP_HEADERS=(hidden)",
		} {
			require.Contains(t, strings.Split(out, "\n"), line+"  # flag")
		}
		require.NotContains(t, out+problem, "ter2")
	}
	for value, shown := range map[string]string{
		"postgres://dg_app:hunter2@db.example/dg":                  "postgres://dg_app:***@db.example/dg",
		"postgres://dg_app:hun ter2@db.example/dg":                 "(hidden)",
		"dg_app:hunter2@db.example/dg":                             "(hidden)",
		"host=db.example user=dg_app password=hunter2":             "host=db.example user=dg_app password=***",
		`host=db.example user=dg_app password='hun\' ter2'`:        "host=db.example user=dg_app password=***",
		"postgres://a@db.example/dg?password=hunter2&sslmode=x":    "(hidden)",
		"postgres://a:hunter2@r1/dg,postgres://a:hunter2@r2,r3/dg": "postgres://a:***@r1/dg postgres://a:***@r2,r3/dg",
	} {
		for env, flag := range map[string]string{
			"DG_DATABASE_URL":          "--database-url",
			"DG_DATABASE_REPLICA_URLS": "--database-replica-urls",
		} {
			status, out, problem := apptest.Command(t, "config", flag, value)
			require.Zero(t, status, problem)
			require.Contains(t, strings.Split(out, "\n"), env+"="+shown+"  # flag")
			require.NotContains(t, out+problem, "ter2")
		}
	}
}
