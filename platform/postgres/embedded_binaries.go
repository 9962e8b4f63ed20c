package postgres

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first major version that dg works with.
const oldest = 15

// binaries is a folder with PostgreSQL's programs.
type binaries struct {
	folder string
	major  int
}

func (b binaries) initdb() string   { return filepath.Join(b.folder, "initdb") }
func (b binaries) postgres() string { return filepath.Join(b.folder, "postgres") }

// usualFolders are where packages put the programs: Debian, Red Hat, Homebrew on both kinds of Mac, Postgres.app,
// MacPorts, a build by hand, Alpine.
var usualFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/opt/local/lib/postgresql*/bin",
	"/usr/local/pgsql/bin",
	"/usr/libexec/postgresql*",
}

// binaries finds the programs for the folder: those of the version that wrote it, or for a new one the first that is
// recent enough. Where none is installed it gets them (see obtainBinaries).
func (f folder) binaries(ctx context.Context, log *slog.Logger) (binaries, error) {
	wanted, err := f.writtenBy()
	if err != nil {
		return binaries{}, err
	}
	if chosen := os.Getenv("PG_BIN"); chosen != "" {
		return chosenBinaries(ctx, chosen, wanted, f.path)
	}
	found := installed(ctx)
	if bin, ok := pick(found, wanted); ok {
		return bin, nil
	}
	if wanted == 0 {
		return obtainBinaries(ctx, f.cred != nil, log)
	}
	return binaries{}, fmt.Errorf("the database in %q was written by PostgreSQL %d, which is not installed here (found: %s): "+
		"install PostgreSQL %d or name its folder of programs with PG_BIN; to change the version, dump the database with the old one "+
		"and load it with the new one", f.path, wanted, versions(found), wanted)
}

// chosenBinaries is what PG_BIN names. Whoever sets it wants that one: nothing else is tried.
func chosenBinaries(ctx context.Context, path string, wanted int, dir string) (binaries, error) {
	bin, err := inspect(ctx, path)
	switch {
	case err != nil:
		return binaries{}, fmt.Errorf("PG_BIN=%q: %w", path, err)
	case bin.major < oldest:
		return binaries{}, fmt.Errorf("PG_BIN=%q is PostgreSQL %d: dg needs %d or later", path, bin.major, oldest)
	case wanted != 0 && bin.major != wanted:
		return binaries{}, fmt.Errorf("the database in %q was written by PostgreSQL %d, and PG_BIN=%q is PostgreSQL %d: "+
			"name the folder of PostgreSQL %d", dir, wanted, path, bin.major, wanted)
	}
	return bin, nil
}

// writtenBy is the major version that wrote the cluster; 0 where there is none yet.
func (f folder) writtenBy() (int, error) {
	if !exists(f.file(dataFolder)) {
		return 0, nil
	}
	text, err := os.ReadFile(filepath.Join(f.file(dataFolder), "PG_VERSION"))
	if err != nil {
		return 0, fmt.Errorf("%q holds no database that PostgreSQL could read: name another folder, or restore this one: %w",
			f.file(dataFolder), err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%q was written by PostgreSQL %q, which dg can't use", f.file(dataFolder), strings.TrimSpace(string(text)))
	}
	return major, nil
}

// installed lists what this machine has, in the order of preference.
func installed(ctx context.Context) []binaries {
	var folders []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	for _, pattern := range usualFolders {
		matches, _ := filepath.Glob(pattern)
		slices.SortFunc(matches, func(a, b string) int { return cmp.Compare(versionIn(b), versionIn(a)) })
		folders = append(folders, matches...)
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	folders = append(folders, downloadFolder())

	var found []binaries
	for _, folder := range folders {
		bin, err := inspect(ctx, folder)
		if err == nil && !slices.Contains(found, bin) {
			found = append(found, bin)
		}
	}
	return found
}

// pick is the first that fits: the wanted version, or any that is recent enough.
func pick(found []binaries, wanted int) (binaries, bool) {
	i := slices.IndexFunc(found, func(b binaries) bool {
		return b.major >= oldest && (wanted == 0 || b.major == wanted)
	})
	if i < 0 {
		return binaries{}, false
	}
	return found[i], true
}

// inspect looks at a folder of programs. Links are followed: the programs find their other files from where they
// really are.
func inspect(ctx context.Context, folder string) (binaries, error) {
	program, err := filepath.EvalSymlinks(filepath.Join(folder, "postgres"))
	if err != nil {
		return binaries{}, fmt.Errorf("no PostgreSQL server there: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return binaries{}, err
	}
	bin := binaries{folder: filepath.Dir(program)}
	if _, err := exec.LookPath(bin.initdb()); err != nil {
		return binaries{}, fmt.Errorf("no initdb there: %w", err)
	}
	out, err := exec.CommandContext(ctx, bin.postgres(), "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("%s does not run: %w", bin.postgres(), err)
	}
	if bin.major, err = majorOf(string(out)); err != nil {
		return binaries{}, err
	}
	return bin, nil
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// majorOf reads "postgres (PostgreSQL) 15.18 (Debian …)"; betas say "16beta1".
func majorOf(version string) (int, error) {
	m := versionPattern.FindStringSubmatch(version)
	if m == nil {
		return 0, fmt.Errorf("no PostgreSQL version in %q", strings.TrimSpace(version))
	}
	return strconv.Atoi(m[1])
}

var numberPattern = regexp.MustCompile(`\d+`)

// versionIn is the number in a path such as /usr/lib/postgresql/15/bin, for sorting: 15 comes after 9.
func versionIn(path string) int {
	n, _ := strconv.Atoi(numberPattern.FindString(path))
	return n
}

// versions names what was found, for an error.
func versions(found []binaries) string {
	if len(found) == 0 {
		return "none"
	}
	names := make([]string, 0, len(found))
	for _, b := range found {
		names = append(names, fmt.Sprintf("%d in %s", b.major, b.folder))
	}
	return strings.Join(names, ", ")
}
