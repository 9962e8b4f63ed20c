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

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// README.md: every link of a document leads to a file of the archive and of the package.
func TestLinksOfThePackagesLeadSomewhere(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "doc")
	out, err := exec.CommandContext(t.Context(), "../scripts/documents.sh", folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
	links := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range link.FindAllSubmatch(text, -1) {
			links++
			require.FileExists(t, filepath.Join(filepath.Dir(path), string(found[1])), path)
		}
		return err
	}))
	require.Greater(t, links, 20)
}
