package apptest

import (
	"bytes"
	"sync"
)

// Buffer can be written and read at once.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// Reset leaves only that text.
func (b *Buffer) Reset(to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.b.Reset()
	b.b.WriteString(to)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
