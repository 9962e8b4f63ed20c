// Package logbook keeps a log, for tests that read it while the program writes.
package logbook

import (
	"bytes"
	"log/slog"
	"sync"
)

// Book is a log. Its zero value is empty.
type Book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the log.
func (b *Book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns all that was logged.
func (b *Book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Logger returns a logger that writes text to the book.
func (b *Book) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }
