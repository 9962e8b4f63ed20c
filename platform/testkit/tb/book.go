package tb

import (
	"bytes"
	"log/slog"
	"sync"
)

// Book is a buffer that a test reads while the program writes its log or output. Its zero value is
// empty.
type Book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the book.
func (b *Book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written.
func (b *Book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Reset replaces the content by the text.
func (b *Book) Reset(to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
	b.text.WriteString(to)
}

// Logger returns a logger that writes text to the book.
func (b *Book) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }
