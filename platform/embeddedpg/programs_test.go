package embeddedpg

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakePostgres makes a folder of programs that says it is of the version.
func fakePostgres(t *testing.T, version string) string {
	bin := t.TempDir()
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "postgres"), []byte(script), 0o755))
	return bin
}

func TestPGBINReplacesTheSearch(t *testing.T) {
	dir := newFolder(t)
	f := dataDir{path: dir}
	for _, c := range []struct {
		bin, writtenBy string
		needs          string // "": taken
	}{
		{bin: fakePostgres(t, "16.4")},
		{bin: fakePostgres(t, "16.4 (Debian 16.4-1)"), writtenBy: "16"},
		{bin: fakePostgres(t, "18beta1")},
		{bin: fakePostgres(t, "14.2"), needs: "15 or later"},
		{bin: fakePostgres(t, "9.6.24"), needs: "15 or later"},
		{bin: fakePostgres(t, "16.4"), writtenBy: "17", needs: "17"},
		{bin: t.TempDir(), needs: "15 or later"},
	} {
		t.Setenv("PG_BIN", c.bin)
		_ = os.RemoveAll(dir)
		if c.writtenBy != "" {
			require.NoError(t, os.MkdirAll(f.file(cluster), 0o700))
			require.NoError(t, os.WriteFile(f.file(cluster+"/PG_VERSION"),
				[]byte(c.writtenBy+"\n"), 0o600))
		}
		got, err := FindProgram(t.Context(), dir, "postgres")
		if c.needs != "" {
			require.ErrorContains(t, err, "dg needs PostgreSQL "+c.needs+" ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.bin, got)
	}
}

// The path comes first.
func TestProgramsAreFoundOnThePath(t *testing.T) {
	newest := fakePostgres(t, "99.1")
	t.Setenv("PATH", newest+":"+os.Getenv("PATH"))
	t.Setenv("PG_BIN", "")
	got, err := FindProgram(t.Context(), newFolder(t), "postgres")
	require.NoError(t, err)
	require.Equal(t, newest, got)
}

// A link on the path leads to the folder of the other programs; a postgres alone creates no database.
func TestProgramsAreThoseBesideTheLinksTarget(t *testing.T) {
	real := fakePostgres(t, "99.1")
	linked := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(real, "postgres"), filepath.Join(linked, "postgres")))
	t.Setenv("PG_BIN", linked)
	got, err := FindProgram(t.Context(), newFolder(t), "postgres")
	require.NoError(t, err)
	require.Equal(t, real, got)
	_, err = FindPrograms(t.Context(), newFolder(t))
	require.ErrorContains(t, err, "with the program initdb: install it, set PG_BIN")
}
