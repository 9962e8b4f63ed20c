package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 8 << 20

const gzipMagic = "\x1f\x8b"

var (
	errTooLong  = errors.New("line too long")
	errTrailing = errors.New("trailing bytes")
)

// members reads the members of a gzip file, and returns errTrailing for other bytes after them.
type members struct {
	in     *bufio.Reader
	member *gzip.Reader
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.member.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	magic, err := m.in.Peek(2)
	switch {
	case string(magic) == gzipMagic:
		err = m.member.Reset(m.in)
		m.member.Multistream(false)
	case len(magic) > 0:
		err = errTrailing
	}
	return n, err
}

// lines unpacks a file and reads it line by line.
type lines struct {
	in     *bufio.Reader // holds the longest line and its end
	number int64         // of the last line read
}

// openLines unpacks a file that is gzip by its name or first bytes, and skips a byte-order mark.
func openLines(name string, file io.Reader) (*lines, error) {
	in := bufio.NewReaderSize(file, maxLine+1)
	magic, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") || string(magic) == gzipMagic {
		unpacked, err := gzip.NewReader(in)
		if errors.Is(err, io.EOF) { // an empty file
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		unpacked.Multistream(false)
		in = bufio.NewReaderSize(&members{in, unpacked}, maxLine+1)
	}
	if mark, _ := in.Peek(3); string(mark) == "\uFEFF" {
		_, _ = in.Discard(3)
	}
	return &lines{in: in}, nil
}

// next returns the next line without its end, valid until the next call; io.EOF after the last.
// After errTooLong, the next line can be read.
func (l *lines) next() ([]byte, error) {
	l.number++
	line, err := l.in.ReadSlice('\n')
	tooLong := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.in.ReadSlice('\n')
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case tooLong:
		return nil, errTooLong
	case err != nil && len(line) == 0:
		l.number--
		return nil, io.EOF
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// isCorrupt reports whether the content of the file caused the error.
func isCorrupt(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) ||
		errors.Is(err, gzip.ErrChecksum)
}
