package httpserver

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// encoder turns blocks of the file into blocks to send. What it returns is valid until its next call.
type encoder interface {
	encode(raw []byte, last bool) ([]byte, error)
	release()
}

// gzipEncoder compresses inside the stream. The usual middleware must not: it ends a broken file with a valid footer.
type gzipEncoder struct {
	w     *gzip.Writer
	out   *bytes.Buffer
	taken bool // the last call gave out's bytes away
	begun bool
}

var gzipBuffers = sync.Pool{New: func() any {
	return bytes.NewBuffer(make([]byte, 0, 2*blockSize))
}}

func newGzipEncoder() *gzipEncoder {
	e := &gzipEncoder{w: gzipWriters.Get().(*gzip.Writer), out: gzipBuffers.Get().(*bytes.Buffer)}
	e.out.Reset()
	e.w.Reset(e.out)
	return e
}

// encode collects output until there is a block of it, but lets the first through at once: a client should soon see
// that there is an answer.
func (e *gzipEncoder) encode(raw []byte, last bool) ([]byte, error) {
	if e.taken {
		e.out.Reset()
		e.taken = false
	}
	if _, err := e.w.Write(raw); err != nil {
		return nil, err
	}
	var err error
	switch {
	case last:
		err = e.w.Close()
	case !e.begun:
		err = e.w.Flush()
	}
	if err != nil {
		return nil, err
	}
	if !last && e.begun && e.out.Len() < blockSize {
		return nil, nil
	}
	e.begun, e.taken = true, true
	return e.out.Bytes(), nil
}

func (e *gzipEncoder) release() {
	gzipWriters.Put(e.w)
	gzipBuffers.Put(e.out)
}
