package embeddedpg

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// usualFolders have PostgreSQL's programs: Debian, Red Hat, Homebrew, Postgres.app, MacPorts, a
// build from source, Alpine, and scripts/postgres.sh for root.
var usualFolders = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin", "/opt/local/lib/postgresql*/bin",
	"/usr/local/pgsql/bin",
	"/usr/libexec/postgresql*", relocationRoot + "/postgres/bin",
}

// programFolders lists where the programs may be, the preferred ones first.
func programFolders(ctx context.Context) []string {
	if chosen := os.Getenv("PG_BIN"); chosen != "" {
		return []string{chosen}
	}
	var folders []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	for _, pattern := range usualFolders {
		matches, _ := filepath.Glob(pattern)
		slices.Reverse(matches) // newer versions first
		folders = append(folders, matches...)
	}
	// next to bin/dg of a checkout, where scripts/postgres.sh puts PostgreSQL
	if self, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Join(filepath.Dir(self), "..", ".postgres", "bin"))
	}
	return folders
}

// FindProgram returns the folder with PostgreSQL's program of that name for the data in dir, or for
// new data, as the user of this process sees it.
func FindProgram(ctx context.Context, dir, name string) (string, error) {
	return folder{path: dir, user: ownUser()}.findProgram(ctx, name)
}

// versionPattern finds the major version in "pg_dump (PostgreSQL) 15.18 (Debian …)" and "…
// 16beta1".
var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d\d+)`)

// findProgram returns the folder with the program of the version that wrote the data; for new data
// the first of version 15 or later. Packages may lack programs: npm's has no pg_dump.
func (f folder) findProgram(ctx context.Context, name string) (string, error) {
	text, _ := os.ReadFile(filepath.Join(f.file(dataFolder), "PG_VERSION"))
	written := strings.TrimSpace(string(text))
	var found []string
	for _, candidate := range programFolders(ctx) {
		bin, _ := filepath.Abs(candidate)
		// Run it as the server's user, which cannot enter every folder.
		out, _ := f.command(ctx, filepath.Join(bin, name), "--version").Output()
		version := versionPattern.FindSubmatch(out)
		if version == nil {
			continue
		}
		major := string(version[1])
		if major >= "15" && (written == "" || major == written) {
			return bin, nil
		}
		found = append(found, major+" in "+bin)
	}
	need := "15 or later"
	if written != "" {
		need = written + ", which wrote the database in " + f.path
	}
	return "", fmt.Errorf("dg needs PostgreSQL %s with the program %s (found: %s): install it, "+
		"set PG_BIN to the folder of its programs, or set DG_DATABASE_URL to a server", need, name,
		cmp.Or(strings.Join(found, ", "), "none"))
}
