package configs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var linkPattern = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// README.md: every link in a packaged document leads to a packaged file. The packages contain no
// untracked files.
func TestPackagedDocumentsLinkToPackagedFiles(t *testing.T) {
	settings, err := os.CreateTemp("deploy", "*.env")
	require.NoError(t, err)
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
		for _, found := range linkPattern.FindAllSubmatch(text, -1) {
			links++
			require.FileExists(t, filepath.Join(filepath.Dir(path), string(found[1])), path)
		}
		return err
	}))
	require.Greater(t, links, 20)
}

// operations.md, Install: a second run of the commands keeps the settings. Each setting is set once.
func TestInstallKeepsSettings(t *testing.T) {
	root := t.TempDir()
	env := root + "/etc/dg/dg.env"
	script := `runuser() { :; }; mkdir -p ` + root + `/etc/systemd/system ` + root + `/usr/bin` + "\n"
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
	require.Equal(t, 1, strings.Count(settings[0], "\nDG_DATABASE_URL="))
	require.Equal(t, settings[0], settings[1])
}

// sizing.md has no comment after a value, which PgBouncer refuses. nginx.conf does not log the query of
// /account/reset, which contains a token.
func TestProxyExamplesAvoidKnownMistakes(t *testing.T) {
	block := regexp.MustCompile(`(?s)\[pgbouncer\].*?` + "```").Find(readDeployFile(t, "sizing.md"))
	require.Contains(t, string(block), "max_client_conn")
	require.NotRegexp(t, `(?m)^\w.*;`, string(block))
	require.Regexp(t, `location = /account/reset \{\s+access_log off;`, string(readDeployFile(t, "nginx.conf")))
}
