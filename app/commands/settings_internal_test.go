package commands

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parsed returns the settings of a command, and the variables that are none.
func parsed(args ...string) (c cli, unknown []string, err error) {
	exit := -1
	read, err := parser(context.Background(), &c, Stdio{}, &exit).Parse(args)
	if err != nil {
		return c, nil, err
	}
	return c, unknownSettings(read.Model), nil
}

func written(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Settings come from flags, variables, the file of --config and files of secrets, in this order. A
// byte order mark is skipped.
func TestSettingsHaveAnOrder(t *testing.T) {
	key := strings.Repeat("A", 43) + "="
	for _, name := range []string{
		"DG_ADDR", "DG_BASE_URL", "DG_OPS_ADDR", "DG_SECRET_KEY_FILE", "DG_ADRR", "TEST_OF_FILE",
	} {
		t.Setenv(name, "") // restored after the test
		require.NoError(t, os.Unsetenv(name))
	}
	t.Setenv("DG_OPS_ADDR", "127.0.0.1:3")
	t.Setenv("DG_OPS_ADRR", "x")
	file := written(t, "dg.env", "\ufeffDG_ADDR=127.0.0.1:1\r\n# settings\n; more\n\n"+
		"DG_OPS_ADDR=127.0.0.1:2\nDG_BASE_URL=https://file.example\nDG_ADRR=a=b c#d\nTEST_OF_FILE=z \n"+
		"DG_SECRET_KEY_FILE="+written(t, "key", "\ufeff"+key+"\n")+"\n")
	c, unknown, err := parsed("serve", "--base-url", "https://flag.example", "--config", file)
	require.NoError(t, err)
	require.Equal(t, "https://flag.example", c.Serve.BaseURL)
	require.Equal(t, "127.0.0.1:3", c.Serve.OpsAddr)
	require.Equal(t, "127.0.0.1:1", c.Serve.Addr)
	require.Equal(t, key, c.Serve.SecretKey)
	require.EqualValues(t, 12, c.Serve.PoolRequests, "the default")
	require.Subset(t, unknown, []string{"DG_ADRR", "DG_OPS_ADRR"})
	require.Equal(t, "a=b c#d", os.Getenv("DG_ADRR"))
	require.Equal(t, "z", os.Getenv("TEST_OF_FILE"), "a variable of libpq, for example")
	t.Setenv("DG_SECRET_KEY", "") // does not count as set
	_, _, err = parsed("serve")
	require.NoError(t, err)
	t.Setenv("DG_SECRET_KEY", key)
	_, _, err = parsed("serve")
	require.ErrorContains(t, err, "DG_SECRET_KEY and DG_SECRET_KEY_FILE are both set")
	t.Setenv("DG_SECRET_KEY", "")
	t.Setenv("DG_SECRET_KEY_FILE", file+".gone")
	_, _, err = parsed("serve")
	require.ErrorContains(t, err, "DG_SECRET_KEY_FILE: open")
}

// A file that systemd would read otherwise is refused, and no value is quoted.
func TestSettingsThatSystemdReadsOtherwiseAreRefused(t *testing.T) {
	for line, says := range map[string]string{
		`A="hunter2"`:  "line 2: A has a quote",
		`A='hunter2'`:  "line 2: A has a quote",
		`A=hunt\er2`:   "line 2: A has a quote, a backslash",
		`A=hunt$er2`:   "line 2: A has a quote, a backslash or $",
		"hunter2":      "line 2 is not NAME=VALUE",
		"export A=1":   "line 2 is not NAME=VALUE",
		"A =hunter2":   "line 2 is not NAME=VALUE",
		"B_TEST=other": "line 2 sets B_TEST a second time",
	} {
		t.Setenv("B_TEST", "x")
		file := written(t, "dg.env", "B_TEST=x\n"+line+"\n")
		_, _, err := parsed("serve", "--config", file)
		require.ErrorContains(t, err, file+": "+says, line)
		require.NotContains(t, err.Error(), "hunter2")
	}
}
