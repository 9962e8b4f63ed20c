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

// usualFolders are where packages, and scripts/postgres.sh as root, install PostgreSQL.
var usualFolders = strings.Fields(`/usr/lib/postgresql/*/bin /usr/pgsql-*/bin
	/opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin
	/Applications/Postgres.app/Contents/Versions/*/bin /opt/local/lib/postgresql*/bin
	/usr/local/pgsql/bin /usr/libexec/postgresql* /var/lib/dg/postgres/bin`)

// programFolders returns the folders to search for PostgreSQL, the preferred ones first.
func programFolders() []string {
	if chosen := os.Getenv("PG_BIN"); chosen != "" {
		return []string{chosen}
	}
	folders := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range usualFolders {
		matches, _ := filepath.Glob(pattern)
		slices.Reverse(matches) // newer versions first
		folders = append(folders, matches...)
	}
	executable, _ := os.Executable() // scripts/postgres.sh may install into .postgres
	return append(folders, filepath.Join(filepath.Dir(executable), "..", ".postgres", "bin"))
}

// versionPattern finds 15 in "pg_dump (PostgreSQL) 15.18 (Debian …)".
var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d\d+)`)

// FindPrograms is FindProgram for a start, which needs postgres and, if dir has no data, initdb.
func FindPrograms(ctx context.Context, dir string) (string, error) {
	if !HasData(dir) {
		return FindProgram(ctx, dir, "initdb") // initdb itself requires postgres beside it
	}
	return FindProgram(ctx, dir, "postgres")
}

// FindProgram returns a folder that has the named program of PostgreSQL. The major version is that
// of the data in dir or, without data, 15 or later.
func FindProgram(ctx context.Context, dir, name string) (string, error) {
	text, _ := os.ReadFile(filepath.Join(dataPath(dir), clusterFolder, "PG_VERSION"))
	dataVersion := strings.TrimSpace(string(text))
	for _, candidate := range programFolders() {
		program, _ := filepath.Abs(filepath.Join(candidate, name))
		if target, err := filepath.EvalSymlinks(program); err == nil {
			program = target // the other programs are only beside the link's target
		}
		//nolint:gosec // PostgreSQL's own programs
		out, _ := exec.CommandContext(ctx, program, "--version").Output()
		if version := versionPattern.FindSubmatch(out); version != nil {
			major := string(version[1])
			if major == dataVersion || dataVersion == "" && major >= "15" {
				return filepath.Dir(program), nil
			}
		}
	}
	return "", fmt.Errorf("dg needs PostgreSQL %s with the program %s: install it, set PG_BIN to the "+
		"folder of its programs, or set DG_DATABASE_URL to a server",
		cmp.Or(dataVersion, "15 or later"), name)
}
