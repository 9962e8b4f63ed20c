package configs_test

import (
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// compose.yaml trusts only the gateway's address, at which dg sees the host's proxy: no container can
// forge a client address. The file passes every setting but DG_ADDR and DG_DATA_DIR.
func TestComposeTrustsTheProxyAlone(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Environment map[string]string
		}
		Networks map[string]struct {
			IPAM struct {
				Config []struct{ Subnet, Gateway string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(readDeployFile(t, "compose.yaml"), &file))
	environment := file.Services["dg"].Environment
	settings := tb.Must(os.ReadFile("../platform/config/config.go"))(t)
	for _, s := range regexp.MustCompile(`env:"(DG_\w+)"`).FindAllSubmatch(settings, -1) {
		if name := string(s[1]); name != "DG_ADDR" && name != "DG_DATA_DIR" {
			require.Contains(t, environment, name)
		}
	}
	setting := environment["DG_TRUSTED_PROXIES"]
	trusted := regexp.MustCompile(`^\$\{DG_TRUSTED_PROXIES:-(.+)\}$`).FindStringSubmatch(setting)
	require.NotNil(t, trusted)
	proxy := tb.Must(netip.ParsePrefix(trusted[1]))(t)
	require.True(t, proxy.IsSingleIP(), "%s", proxy)
	network := file.Networks["default"].IPAM.Config
	require.Len(t, network, 1)
	require.Equal(t, proxy.Addr().String(), network[0].Gateway)
	require.True(t, netip.MustParsePrefix(network[0].Subnet).Contains(proxy.Addr()))
}

func TestDeployFilesAvoidKnownMistakes(t *testing.T) {
	for _, c := range []struct{ file, line, mistake string }{
		{"compose.yaml", `POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?\}\n`, "the superuser has the owner's password"},
		{"compose.yaml", `args: \{VERSION:`, "the image has no version"},
		{"compose.yaml", `roles\.sh:ro,z\n`, "SELinux keeps roles.sh from the server"},
		{"compose.yaml", `psql, -qh, 127\.0\.0\.1, -U, dg_owner`, "a database without roles is healthy"},
		{"nginx.conf", `location @down \{\s+access_log off;`, "the log has the token of a reset while dg is down"},
		{"Containerfile", `DG_ADDR=:8080`, "it does not listen on IPv6"},
		{"Containerfile", `CMD \["/dg", "health"\]`, "the image has no health check"},
		{"nginx.conf", `location ~\* \^/account/reset \{\s+access_log off;`, "the log has the token of a reset"},
		{"dg.service", `\nKillMode=process\n`, "a restart ends the embedded PostgreSQL, which dg import uses"},
		{"dg.service", `\nTimeoutStartSec=300\n`, "a start has no timeout"},
		{"dg.service", `\nTimeoutStopSec=80\n`, "a stop has less time than the longest shutdown delay"},
	} {
		require.Regexp(t, c.line, string(readDeployFile(t, c.file)), c.mistake)
	}
	require.NotContains(t, string(readDeployFile(t, "dg.service")), "\nRemoveIPC=yes", "it ends shared memory in use")
	block := regexp.MustCompile(`(?s)\[pgbouncer\].*?` + "```").Find(readDeployFile(t, "sizing.md"))
	require.Contains(t, string(block), "max_client_conn")
	require.NotRegexp(t, `(?m)^\w.*;`, string(block), "PgBouncer refuses a comment after a value")
}

func readDeployFile(t *testing.T, name string) []byte {
	t.Helper()
	return tb.Must(os.ReadFile(filepath.Join("deploy", name)))(t)
}

var linkPattern = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// Every link in a packaged document leads to a packaged file. No untracked file is packaged.
func TestPackagedDocumentsLinkToPackagedFiles(t *testing.T) {
	settings := tb.Must(os.CreateTemp("deploy", "*.env"))(t)
	t.Cleanup(func() { _ = os.Remove(settings.Name()) })
	folder := filepath.Join(t.TempDir(), "doc")
	out, err := exec.CommandContext(t.Context(), "../scripts/documents.sh", folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoFileExists(t, filepath.Join(folder, "configs", settings.Name()))
	links := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range linkPattern.FindAllSubmatch(text, -1) {
			links++
			require.FileExists(t, filepath.Join(filepath.Dir(path), string(match[1])), path)
		}
		return err
	}))
	require.Greater(t, links, 20)
}

// operations.md, Install: a second run of the commands keeps the settings. Each URL is
// set once, with the exported port. psql runs with the HOME of its user, because libpq fails with root's.
func TestInstallKeepsSettings(t *testing.T) {
	root := t.TempDir()
	env := root + "/etc/dg/dg.env"
	script := `export PGPORT=25060; runuser() { [ "$3" = -- ]; }; mkdir -p ` + root + `/etc/systemd/system ` + root + `/usr/bin` + "\n"
	for _, block := range regexp.MustCompile("(?s)   ```sh\n(.*?)```").FindAllSubmatch(readDeployFile(t, "operations.md"), -1) {
		script += string(block[1])
	}
	script = strings.NewReplacer(" /etc/", " "+root+"/etc/", " /usr/", " "+root+"/usr/",
		"install dg ", "install LICENSE ", "configs/deploy/postinstall.sh", ":").Replace(script)
	var settings [2]string
	for run := range settings {
		c := exec.CommandContext(t.Context(), "sh", "-c", script)
		c.Dir = ".."
		out, _ := c.CombinedOutput()
		text, err := os.ReadFile(env)
		require.NoError(t, err, "%s", out)
		settings[run] = string(text)
	}
	require.Equal(t, 2, strings.Count(settings[0], "@127.0.0.1:25060/dg\n"))
	require.Equal(t, settings[0], settings[1])
}

// Each alert has an expression, a summary and an action, whose commands read the service's settings.
func TestAlertsHaveExpressionsAndActions(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary, Action string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(readDeployFile(t, "alerts.yml"), &file))
	for _, rule := range file.Groups[0].Rules {
		require.NotEmpty(t, rule.Expr, rule.Alert)
		require.NotEmpty(t, rule.Annotations.Summary, rule.Alert)
		require.Regexp(t, `\.$`, rule.Annotations.Action, rule.Alert)
		require.NotRegexp(t, `[^-] dg (doctor|segments|account)`, rule.Annotations.Action, rule.Alert)
	}
}
