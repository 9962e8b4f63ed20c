package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

func compress(t *testing.T, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(s))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestFilesAreReadPlainAndCompressed(t *testing.T) {
	t.Parallel()
	pool := setup(t)
	line := func(name string) string { return fill(changed("game", `"$game"`, `"$`+name+`"`)) }
	for name, content := range map[string]string{
		"plain":     line("a"),
		"crlf":      line("b") + "\r\n\r\n",
		"mark":      "\uFEFF" + line("c") + "\n",
		"gzip":      compress(t, "\uFEFF"+line("d")),
		"two.gz":    compress(t, line("e")+"\n") + compress(t, line("f")+"\n"),
		"long":      line("g") + strings.Repeat(" ", maxLine-len(line("g"))) + "\n" + line("h"),
		"long.crlf": line("i") + strings.Repeat(" ", maxLine-len(line("i"))) + "\r\n",
	} {
		importFiles(t, pool, raw(name, content))
	}
	assert.Equal(t, "10", one(t, pool, "select count(*) from games"))
}

func TestTooLongLineIsRefused(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", "\n{}"} {
		got := importErrors(t, setup(t), raw("f", "\n"+strings.Repeat(" ", maxLine+2)+end))
		assert.Equal(t, []string{"f:2: expected a line of at most 8 MB"}, got)
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
		"a zero byte after":   packed + "\x00",
		"zero bytes after":    packed + strings.Repeat("\x00", 512),
		"garbage after":       packed + "garbage",
		"empty.gz":            "",
		"no.gz":               `{"type":"game"}`,
	} {
		got := importErrors(t, pool, raw(name, content))
		assert.Contains(t, got[0], "expected a whole file, with nothing after its end if it is gzip, got ", name)
	}
}

// Each score with two decimals is stored exactly.
func TestEveryScoreIsExact(t *testing.T) {
	t.Parallel()
	read := formats[7].read
	for want := range int16(100_01) {
		text := fmt.Sprintf("%d.%02d", want/100, want%100)
		row, invalid := read([]byte(fill(changed("play", "87.55", text))), identity.Keyring{})
		require.Empty(t, invalid, text)
		require.Equal(t, want, *row[6].(*int16), text)
	}
}
