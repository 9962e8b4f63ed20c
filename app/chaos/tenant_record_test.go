package chaos

import (
	"bytes"
	"strings"
	"sync"

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

// read reads a message of a client, with the statements that its session has prepared.
func (r *recorder) read(m apptest.Message, prepared map[string]string) {
	if r == nil {
		return
	}
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
