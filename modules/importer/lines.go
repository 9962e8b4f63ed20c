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

var errTooLong = errors.New("line too long")

// lines unpacks a file and reads it line by line.
type lines struct {
	in     *bufio.Reader
	long   []byte // a line longer than in's buffer
	number int64  // of the last line read
}

// openLines unpacks a file that is gzip by its name or first bytes, and skips a byte-order mark.
func openLines(name string, file io.Reader) (*lines, error) {
	in := bufio.NewReaderSize(file, 256<<10)
	magic, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") || bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if errors.Is(err, io.EOF) { // an empty file
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(unpacked, 256<<10)
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
	part, err := l.in.ReadSlice('\n')
	if err == nil {
		return part[:len(part)-1], nil
	}
	l.long = append(l.long[:0], part...)
	tooLong := false
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.in.ReadSlice('\n')
		if tooLong = tooLong || len(l.long)+len(part) > maxLine+1; !tooLong {
			l.long = append(l.long, part...)
		}
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case tooLong:
		return nil, errTooLong
	case err != nil && len(l.long) == 0:
		l.number--
		return nil, io.EOF
	}
	return bytes.TrimSuffix(l.long, []byte("\n")), nil
}

// isCorrupt reports whether the content of the file caused the error.
func isCorrupt(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) ||
		errors.Is(err, gzip.ErrChecksum)
}
