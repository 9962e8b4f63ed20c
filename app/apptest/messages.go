package apptest

import (
	wire "encoding/binary"
	"io"
	"regexp"
	"strings"
)

// Message is a message of PostgreSQL's protocol: a letter, four bytes of length, a body. The first
// message of a client has no letter.
type Message []byte

// ReadMessage reads a message. lettered is 0 for the first message of a client, else 1.
func ReadMessage(r io.Reader, lettered int) (Message, error) {
	head := make([]byte, lettered+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	m := make(Message, lettered+int(wire.BigEndian.Uint32(head[lettered:])))
	_, err := io.ReadFull(r, m[copy(m, head):])
	return m, err
}

// Tagged finds the tag of a statement.
var Tagged = regexp.MustCompile(`/\* ([A-Za-z]+\.[A-Za-z]+) \*/`)

// TagOf is the tag of a statement.
func TagOf(sql string) string {
	if found := Tagged.FindStringSubmatch(sql); found != nil {
		return found[1]
	}
	return strings.Trim(sql, "\x00")
}
