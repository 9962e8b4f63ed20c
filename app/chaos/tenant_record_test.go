package chaos

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"dg/app/apptest"
)

// recorder keeps the statements that its clients send to PostgreSQL, each with its parameters.
type recorder struct {
	mu   sync.Mutex
	sent map[string]sentStatement // each once
}

type sentStatement struct {
	sql    string
	values [][]byte
	format []int16 // of the values
}

// tag is the comment that names the statement's caller.
func (s sentStatement) tag() string { return apptest.TagOf(s.sql) }

// record returns the URL of the database through the recorder.
func (r *recorder) record(t *testing.T, database string) (through string) {
	return apptest.SocketProxy(t, database, func(client, server net.Conn) {
		defer client.Close()
		defer server.Close()
		go func() {
			_, _ = io.Copy(client, server)
			_ = client.Close()
		}()
		from := bufio.NewReader(client)
		prepared := map[string]string{}
		m, err := apptest.ReadMessage(from, 0)
		for ; err == nil; m, err = apptest.ReadMessage(from, 1) {
			if m[0] != 0 { // not the first
				r.read(m, prepared)
			}
			if _, err := server.Write(m); err != nil {
				return
			}
		}
	})
}

// read reads a message of a client, with the statements that it has prepared.
func (r *recorder) read(m apptest.Message, prepared map[string]string) {
	s := sentStatement{}
	switch m[0] {
	case 'P':
		name, rest, _ := strings.Cut(string(m[5:]), "\x00")
		prepared[name], _, _ = strings.Cut(rest, "\x00")
		return
	case 'B':
		var bind pgproto3.Bind
		if bind.Decode(bytes.Clone(m[5:])) != nil {
			return
		}
		s = sentStatement{
			prepared[bind.PreparedStatement], bind.Parameters, bind.ParameterFormatCodes,
		}
	case 'Q':
		s.sql = strings.Trim(string(m[5:]), "\x00")
	default:
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[s.sql+"\x00"+string(bytes.Join(s.values, []byte{0}))] = s
}
