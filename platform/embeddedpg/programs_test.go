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
		want           []string // nil: taken
	}{
		{bin: fakePostgres(t, "16.4")},
		{bin: fakePostgres(t, "16.4 (Debian 16.4-1)"), writtenBy: "16"},
		{bin: fakePostgres(t, "18beta1")},
		{bin: fakePostgres(t, "14.2"), want: []string{"15 or later", "found: 14 in "}},
		{bin: fakePostgres(t, "9.6.24"), want: []string{"15 or later", "found: no other"}},
		{bin: fakePostgres(t, "16.4"), writtenBy: "17",
			want: []string{"PostgreSQL 17", "found: 16 in "}},
		{bin: t.TempDir(), want: []string{"found: no other", "PG_BIN"}},
	} {
		t.Setenv("PG_BIN", c.bin)
		_ = os.RemoveAll(dir)
		if c.writtenBy != "" {
			require.NoError(t, os.MkdirAll(f.file(cluster), 0o700))
			require.NoError(t, os.WriteFile(f.file(cluster+"/PG_VERSION"),
				[]byte(c.writtenBy+"\n"), 0o600))
		}
		got, err := FindProgram(t.Context(), dir, "postgres")
		if c.want != nil {
			for _, words := range c.want {
				require.ErrorContains(t, err, words)
			}
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
