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
	"syscall"
)

// usualFolders are where packages install PostgreSQL's programs: Debian, Red Hat, Homebrew on both kinds of Mac,
// Postgres.app, MacPorts, a build from source, Alpine; and where scripts/postgres.sh puts them for root.
var usualFolders = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin", "/opt/local/lib/postgresql*/bin", "/usr/local/pgsql/bin",
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
	if self, err := os.Executable(); err == nil { // bin/dg of a project, where scripts/postgres.sh downloads to .postgres
		folders = append(folders, filepath.Join(filepath.Dir(self), "..", ".postgres", "bin"))
	}
	return folders
}

// FindPrograms returns the folder of PostgreSQL's programs for new data, as the user of this process sees them.
func FindPrograms(ctx context.Context, dir string) (string, error) {
	return folder{path: dir, user: &syscall.Credential{Uid: uint32(os.Geteuid()), Gid: uint32(os.Getegid()), NoSetGroups: true}}.findPrograms(ctx)
}

// versionPattern finds the major version in "postgres (PostgreSQL) 15.18 (Debian …)" and "… 16beta1".
var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d\d+)`)

// findPrograms returns the folder of the version that wrote the data; for new data the first of version 15 or later.
func (f folder) findPrograms(ctx context.Context) (string, error) {
	text, _ := os.ReadFile(filepath.Join(f.file(dataFolder), "PG_VERSION"))
	written := strings.TrimSpace(string(text))
	var found []string
	for _, candidate := range programFolders(ctx) {
		bin, _ := filepath.Abs(candidate)
		// As the server's user, who may not reach every folder.
		out, _ := f.command(ctx, filepath.Join(bin, "postgres"), "--version").Output()
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
	return "", fmt.Errorf("dg needs PostgreSQL %s (found: %s): install it, set PG_BIN to the folder of its programs, or set DG_DATABASE_URL to a server",
		need, cmp.Or(strings.Join(found, ", "), "none"))
}
