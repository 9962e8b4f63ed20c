package postgres

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program writes an executable shell script.
func program(t *testing.T, path, script string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// fakePostgres makes a folder of programs that says it is of the version.
func fakePostgres(t *testing.T, version string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	program(t, filepath.Join(bin, "postgres"), `echo "postgres (PostgreSQL) `+version+`"`)
	program(t, filepath.Join(bin, "initdb"), `exit 1`)
	return bin
}

func TestMajorOf(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1":                          18,
		"postgres (PostgreSQL) 9.6.24":                           9,
	} {
		if got, err := majorOf(version); err != nil || got != want {
			t.Errorf("%q: %d, %v", version, got, err)
		}
	}
	if _, err := majorOf("bash 5.2"); err == nil {
		t.Error("bash has a PostgreSQL version")
	}
}

func TestPickTakesTheVersionThatWroteTheDataElseTheFirstThatIsRecentEnough(t *testing.T) {
	t.Parallel()
	found := []binaries{{"a", 14}, {"b", 16}, {"c", 17}}
	for wanted, want := range map[int]string{0: "b", 17: "c", 14: "", 15: ""} {
		if got, ok := pick(found, wanted); got.folder != want || ok != (want != "") {
			t.Errorf("wanted %d: %v", wanted, got)
		}
	}
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	if versionIn("/usr/lib/postgresql/9/bin") >= versionIn("/usr/lib/postgresql/15/bin") {
		t.Error("9 is newer than 15")
	}
}

func TestLinksAreFollowed(t *testing.T) {
	t.Parallel()
	bin := fakePostgres(t, "16.1")
	links := t.TempDir()
	must(t, os.Symlink(filepath.Join(bin, "postgres"), filepath.Join(links, "postgres")))
	got, err := inspect(t.Context(), links)
	if err != nil || got != (binaries{folder: bin, major: 16}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPGBINIsTakenOrRefusedButNeverPassedOver(t *testing.T) {
	dir := newFolder(t)
	f := folder{path: dir}
	log := (&logBook{}).logger()
	for _, c := range []struct {
		bin, writtenBy string
		want           []string // nil: taken
	}{
		{bin: fakePostgres(t, "16.4")},
		{bin: fakePostgres(t, "16.4"), writtenBy: "16"},
		{bin: fakePostgres(t, "14.2"), want: []string{"PG_BIN", "PostgreSQL 14", "15 or later"}},
		{bin: fakePostgres(t, "16.4"), writtenBy: "17", want: []string{"written by PostgreSQL 17", "is PostgreSQL 16"}},
		{bin: t.TempDir(), want: []string{"PG_BIN", "no PostgreSQL server there"}},
	} {
		t.Setenv("PG_BIN", c.bin)
		_ = os.RemoveAll(dir)
		if c.writtenBy != "" {
			must(t, os.MkdirAll(f.file(dataFolder), 0o700))
			must(t, os.WriteFile(filepath.Join(f.file(dataFolder), "PG_VERSION"), []byte(c.writtenBy+"\n"), 0o600))
		}
		got, err := f.binaries(t.Context(), log)
		if c.want != nil {
			mentions(t, err, c.want...)
		} else if err != nil || got.folder != c.bin {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestThePackageIsInstalledWithoutAServerOfItsOwn(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	dropIn := filepath.Join(t.TempDir(), "createcluster.d", "dg.conf")
	bin := t.TempDir()
	program(t, filepath.Join(bin, "apt-get"), `echo "$DEBIAN_FRONTEND: $*: $(tail -1 '`+dropIn+`')" >> '`+calls+`'`)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	var book logBook
	must(t, installPackage(t.Context(), dropIn, book.logger()))
	got, err := os.ReadFile(calls)
	must(t, err)
	want := "noninteractive: update: create_main_cluster = false\n" +
		"noninteractive: install -y --no-install-recommends postgresql: create_main_cluster = false\n"
	if string(got) != want {
		t.Errorf("apt-get was called so:\n%s", got)
	}
	if exists(dropIn) {
		t.Error("the machine's configuration is changed")
	}
	if !strings.Contains(book.String(), "apt-get") {
		t.Error("nothing was said")
	}

	program(t, filepath.Join(bin, "apt-get"), `echo "E: Unable to locate package" >&2; exit 100`)
	mentions(t, installPackage(t.Context(), dropIn, book.logger()), "apt-get update", "Unable to locate package")
}

func TestDownload(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // the library leaves an empty log there
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
	archive := packed(t)
	var broken bool
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch sum := sha256.Sum256(archive); {
		case broken:
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			_, _ = w.Write([]byte(hex.EncodeToString(sum[:])))
		default:
			_, _ = w.Write(archive)
		}
	}))
	defer repository.Close()

	bin := filepath.Join(t.TempDir(), "postgresql", "bin")
	must(t, download(t.Context(), bin, repository.URL))
	got, err := inspect(t.Context(), bin)
	if err != nil || got.major != 17 {
		t.Errorf("%+v, %v", got, err)
	}

	broken = true
	bin = filepath.Join(t.TempDir(), "postgresql", "bin")
	mentions(t, download(t.Context(), bin, repository.URL), "download PostgreSQL", "no version found")
	if left, _ := os.ReadDir(filepath.Dir(filepath.Dir(bin))); len(left) != 0 {
		t.Errorf("a failed download leaves %v", left)
	}
}

// packed is what the repository holds: an archive of programs inside another archive.
func packed(t *testing.T) []byte {
	t.Helper()
	bin := fakePostgres(t, "17.5")
	program(t, filepath.Join(bin, "pg_ctl"), `exit 1`)
	inner := filepath.Join(t.TempDir(), "postgres.txz")
	if out, err := exec.Command("tar", "-cJf", inner, "-C", filepath.Dir(bin), "bin").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	content, err := os.ReadFile(inner)
	must(t, err)
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres.txz")
	must(t, err)
	_, err = w.Write(content)
	must(t, err)
	must(t, z.Close())
	return jar.Bytes()
}
