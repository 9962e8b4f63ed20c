package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func compress(t *testing.T, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(s))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func allLines(t *testing.T, name, content string) []string {
	in, err := openLines(name, strings.NewReader(content))
	require.NoError(t, err)
	var all []string
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			assert.EqualValues(t, len(all), in.number)
			return all
		}
		require.NoError(t, err)
		all = append(all, string(line))
	}
}

func TestLinesAreReadPlainAndCompressed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 700<<10)
	for content, want := range map[string][]string{
		"":                                      nil,
		"a":                                     {"a"},
		"a\n":                                   {"a"},
		"a\n\nb":                                {"a", "", "b"},
		"a\r\nb\r\n":                            {"a\r", "b\r"},
		"\uFEFFa\n":                             {"a"},
		long + "\n" + long:                      {long, long},
		compress(t, "a\nb"):                     {"a", "b"},
		compress(t, "a\n") + compress(t, "b\n"): {"a", "b"},
		compress(t, "\uFEFFa\n"):                {"a"},
	} {
		assert.Equal(t, want, allLines(t, "f", content))
	}
	assert.Equal(t, []string{"a"}, allLines(t, "f.GZ", compress(t, "a")))
}

func TestTooLongLineIsRefused(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("x", maxLine)
	assert.Equal(t, []string{most, "b"}, allLines(t, "f", most+"\nb"))
	assert.Equal(t, []string{most}, allLines(t, "f", most))
	for _, end := range []string{"x\nb", "xxx" + most + "\nb"} {
		in, err := openLines("f", strings.NewReader(most+end))
		require.NoError(t, err)
		_, err = in.next()
		require.ErrorIs(t, err, errTooLong)
		line, err := in.next()
		require.NoError(t, err)
		assert.Equal(t, "b", string(line))
		assert.EqualValues(t, 2, in.number)
	}
}

func TestCorruptFileIsRefused(t *testing.T) {
	t.Parallel()
	pool := setup(t)
	packed := compress(t, fill(strings.Repeat("\n", 70_000)+changed("p1", "One", "X")+"\n"))
	flipped := []byte(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for name, content := range map[string]string{
		"cut in the checksum": packed[:len(packed)-3],
		"cut in the data":     packed[:len(packed)-20],
		"cut in the header":   packed[:5],
		"wrong checksum":      string(flipped),
		"empty.gz":            "",
		"no.gz":               `{"type":"game"}`,
	} {
		got := importErrors(t, pool, raw(name, content))
		assert.Contains(t, got[0], "expected a whole gzip file", name)
	}
	for _, end := range []string{"\x00", strings.Repeat("\x00", 512), "garbage"} {
		got := importErrors(t, pool, raw("f", packed+end))
		assert.Contains(t, got[0], "expected nothing after the end of the gzip data")
	}
	got := importErrors(t, pool, raw("f", "\n"+strings.Repeat(" ", maxLine+1)+"\n[]"))
	assert.Equal(t, "f:2: expected a line of at most 8 MB", got[0])
	assert.Contains(t, got[1], "f:3: expected one JSON object in UTF-8, got an array")
	importFiles(t, pool, raw("right.gz", packed), raw("-", packed),
		raw("f", "\uFEFF"+fill(strings.ReplaceAll(world, "\n", "\r\n"))))
}
