package body

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzipLevel gives a third of the size of an export for 2.5 times the time; higher levels cost more
// than they save.
const gzipLevel = 2

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzipLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// Gzip compresses a body at once.
func Gzip(body []byte) []byte {
	buf := bytes.NewBuffer(make([]byte, 0, len(body)/3+64))
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(buf)
	_, _ = w.Write(body) // a bytes.Buffer never fails
	_ = w.Close()
	return buf.Bytes()
}

// gzipBlocks compresses a stream block by block. fiber's compress middleware would end a truncated
// file with a valid footer.
type gzipBlocks struct {
	w     *gzip.Writer
	out   *bytes.Buffer
	taken bool // out holds a block that encode has returned
	begun bool
}

var gzipBuffers = sync.Pool{New: func() any {
	return bytes.NewBuffer(make([]byte, 0, 2*BlockSize))
}}

func newGzipBlocks() *gzipBlocks {
	g := &gzipBlocks{w: gzipWriters.Get().(*gzip.Writer), out: gzipBuffers.Get().(*bytes.Buffer)}
	g.out.Reset()
	g.w.Reset(g.out)
	return g
}

// encode returns the next compressed block, valid until the next call, or nothing until there is
// enough for one. The first block is never held back: the client should soon see a response.
func (g *gzipBlocks) encode(plain []byte, last bool) ([]byte, error) {
	if g.taken {
		g.out.Reset()
		g.taken = false
	}
	if _, err := g.w.Write(plain); err != nil {
		return nil, err
	}
	var err error
	switch {
	case last:
		err = g.w.Close()
	case !g.begun:
		err = g.w.Flush()
	}
	if err != nil {
		return nil, err
	}
	if !last && g.begun && g.out.Len() < BlockSize {
		return nil, nil
	}
	g.begun = true
	g.taken = true
	return g.out.Bytes(), nil
}

func (g *gzipBlocks) release() {
	gzipWriters.Put(g.w)
	gzipBuffers.Put(g.out)
}
