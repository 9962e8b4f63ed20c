package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

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
	b := setup(t)
	line := func(name string) string { return fill(changed("game", `"$game"`, `"$`+name+`"`)) }
	for name, content := range map[string]string{
		"plain":     line("a"),
		"crlf":      line("b") + "\r\n\r\n",
		"gzip":      compress(t, line("d")),
		"two.gz":    compress(t, line("e")+"\n") + compress(t, line("f")+"\n"),
		"long":      line("g") + strings.Repeat(" ", maxLine-len(line("g"))) + "\n" + line("h"),
		"long.crlf": line("i") + strings.Repeat(" ", maxLine-len(line("i"))) + "\r\n",
	} {
		b.imports(raw(name, content))
	}
	b.imports(raw("empty", ""), raw("blank", "\n \r\n\t\n"))
	assert.Equal(t, "9", b.one("select count(*) from games"))
}

func TestUnreadableFileIsRefused(t *testing.T) {
	const unreadable = "expected a whole file with lines of at most 8 MB, and nothing after its end " +
		"if it is gzip, got "
	b := setup(t)
	packed := compress(t, fill(strings.Repeat("\n", 70_000)+changed("p1", "One", "X")+"\n"))
	flipped := []byte(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for name, content := range map[string]string{
		"cut in the checksum": packed[:len(packed)-3],
		"wrong checksum":      string(flipped),
		"zero bytes after":    packed + strings.Repeat("\x00", 512),
		"garbage after":       packed + "garbage",
		"empty.gz":            "",
		"no.gz":               `{"type":"game"}`,
	} {
		got := b.errorsOf(raw(name, content))
		assert.Contains(t, got[0], unreadable, name)
	}
	for _, end := range []string{"", "\n{}"} {
		got := b.errorsOf(raw("f", "\n"+strings.Repeat(" ", maxLine+2)+end))
		assert.Equal(t, []string{"f:2: " + unreadable + "bufio.Scanner: token too long"}, got)
	}
	failed := errors.New("disk on fire")
	line := fill(changed("p1", "One", "X")) + "\n"
	got := b.errorsOf(Input{"f", func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(line), iotest.ErrReader(failed))), nil
	}})
	assert.Equal(t, []string{"f:2: " + unreadable + "disk on fire"}, got)
	_, err := Importer{Pool: b.Owner.Pool}.Import(t.Context(), []Input{{"f", func() (io.ReadCloser, error) {
		return nil, failed
	}}}, nil)
	require.ErrorIs(t, err, failed)
}

// Each score with two decimals is stored exactly.
func TestEveryScoreIsExact(t *testing.T) {
	t.Parallel()
	for want := range int16(100_01) {
		text := fmt.Sprintf("%d.%02d", want/100, want%100)
		row, invalid := formats[7].read([]byte(fill(changed("play", "87.55", text))), identity.Keyring{})
		require.Empty(t, invalid, text)
		require.Equal(t, want, *row[6].(*int16), text)
	}
}

// configs/deploy/import.md names every type with all of its fields.
func TestDocumentNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../configs/deploy/import.md")
	require.NoError(t, err)
	for _, object := range []any{
		organisation{}, user{}, membership{}, game{}, fork{}, player{}, group{}, play{},
	} {
		kind := reflect.TypeOf(object)
		row := regexp.MustCompile("(?m)^\\| `" + kind.Name() + "` \\| .*$").FindString(string(text))
		for field := range kind.Fields() {
			require.Contains(t, row, "`"+field.Tag.Get("json")+"`", kind.Name())
		}
	}
}
