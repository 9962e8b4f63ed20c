package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// plantedVulnerability is an entry of the vulnerability database for a function of fiber.
const plantedVulnerability = `{"schema_version": "1.3.1", "id": "GO-2026-9001", "modified": "2026-01-01T00:00:00Z",
	"published": "2026-01-01T00:00:00Z", "summary": "Planted", "affected": [{
		"package": {"name": "github.com/gofiber/fiber/v2", "ecosystem": "Go"},
		"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
		"ecosystem_specific": {"imports": [{"path": "github.com/gofiber/fiber/v2", "symbols": ["New"]}]}}],
	"database_specific": {"url": "https://pkg.go.dev/vuln/GO-2026-9001"}}`

// make check fails on a vulnerability of a linked function, unless it is listed as an exception. If
// the database is unreachable, it passes and says so.
func TestCheckFindsVulnerabilities(t *testing.T) {
	t.Parallel()
	program, err := apptest.Binary()
	require.NoError(t, err)
	planted := t.TempDir()
	exceptions := filepath.Join(t.TempDir(), "vulnerabilities.txt")
	require.NoError(t,
		os.WriteFile(filepath.Join(planted, "GO-2026-9001.json"), []byte(plantedVulnerability),
			0o600))
	require.NoError(t,
		os.WriteFile(exceptions, []byte("GO-2026-900 another's\nGO-2026-9001 it is planted\n"),
			0o600))
	for name, c := range map[string]struct {
		database, exceptions, says string
		fails                      bool
	}{
		"linked":                     {"file://" + planted, "", "configs/vulnerabilities.txt", true},
		"linked, with a reason":      {"file://" + planted, exceptions, "", false},
		"no database can be reached": {"https://127.0.0.1:1", "", "NOT CHECKED", false},
		"no database is there":       {"file:///nowhere", "", "no such file", true},
	} {
		check := exec.CommandContext(t.Context(), apptest.InTree("scripts", "vulnerabilities.sh"),
			program)
		check.Env = append(os.Environ(), "GOVULNDB="+c.database, "VULN_EXCEPTIONS="+c.exceptions)
		out, err := check.CombinedOutput()
		require.Equal(t, c.fails, err != nil, "%s: %s", name, out)
		require.Contains(t, string(out), c.says, name)
		require.Equal(t, c.says == "", strings.TrimSpace(string(out)) == "", "%s: %s", name, out)
	}
}
