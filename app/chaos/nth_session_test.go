package chaos

import (
	"bufio"
	wire "encoding/binary"
	"net"
	"strings"
	"sync"

	"dg/app/apptest"
)

// session is one connection of the link.
type session struct {
	link           *link
	client, server net.Conn

	mu    sync.Mutex
	fault fault // of the current statement
	after int   // rows, if the fault happens within them
	rows  int   // received so far
	ends  bool  // the failing statement is a COMMIT
	lost  bool  // answers of the server are discarded
}

func newMessage(letter byte, body string) apptest.Message {
	m := wire.BigEndian.AppendUint32([]byte{letter}, uint32(len(body)+4))
	return append(m, body...)
}

// toServer passes on what the client sends. When it has gone the server's side is closed, unless it
// is still answering.
func (w *session) toServer() {
	from := bufio.NewReader(w.client)
	prepared := map[string]string{}
	m, err := apptest.ReadMessage(from, 0)
	for ; err == nil; m, err = apptest.ReadMessage(from, 1) {
		w.link.recorder.read(m, prepared)
		if m = w.send(m); m == nil {
			return
		}
		if _, err = w.server.Write(m); err != nil {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.lost {
		_ = w.server.Close()
	}
}

// send returns what the server gets in place of a message of the client: nil when the connection is
// cut.
func (w *session) send(m apptest.Message) apptest.Message {
	if m[0] != 'E' && (m[0] != 'Q' || isPing(m)) {
		return m
	}
	f, after := w.link.next()
	if f == "" {
		return m
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = f
	w.after = after
	w.rows = 0
	switch f {
	case timesOut, breaks:
		w.link.fire()
		w.ends = isCommit(m)
		return failing(m)
	case cutAfter:
		w.lose()
	case cutBefore:
		w.lose()
		w.terminate()
		return nil
	}
	return m
}

func isPing(m apptest.Message) bool {
	text := strings.TrimSpace(string(m[5 : len(m)-1]))
	return text == "" || text == ";" || strings.HasPrefix(text, "-- ping")
}

// failing is a statement that fails in place of m. A COMMIT that fails ends its transaction.
func failing(m apptest.Message) apptest.Message {
	switch {
	case m[0] == 'E':
		return newMessage('E', "no such portal\x00\x00\x00\x00\x00")
	case isCommit(m):
		return newMessage('Q', "rollback; select no.thing\x00")
	}
	return newMessage('Q', "select no.thing\x00")
}

func isCommit(m apptest.Message) bool {
	return m[0] == 'Q' && strings.HasPrefix(string(m[5:]), "commit")
}

// lose discards all further answers of the server. The caller holds the lock.
func (w *session) lose() {
	w.lost = true
	w.link.fire()
	w.link.cut.Add(1) // until the server has ended the session
}

// terminate closes the client's side at once, and the server's side when the server is done.
func (w *session) terminate() {
	_ = w.client.Close()
	_, _ = w.server.Write(newMessage('X', ""))
}

// toClient passes on what the server answers.
func (w *session) toClient() {
	from := bufio.NewReader(w.server)
	for m, err := apptest.ReadMessage(from, 1); err == nil; m, err = apptest.ReadMessage(from, 1) {
		if m = w.answer(m); m != nil {
			// a client that has gone does not stop the reading: the server has to finish
			_, _ = w.client.Write(m)
		}
	}
	_ = w.client.Close()
	_ = w.server.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		w.link.cut.Done()
	}
}

// answer returns what the client gets in place of a message of the server.
func (w *session) answer(m apptest.Message) apptest.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.fault
	switch {
	case w.lost:
		if m[0] == 'Z' {
			w.terminate()
		}
		return nil
	case f == "":
		return m
	case m[0] == 'D':
		w.rows++
	case m[0] == 'Z':
		w.fault = ""
	}
	switch f {
	case timesOut, breaks:
		return w.replaced(f, m)
	case breaksAmid:
		return w.breakAmid(m)
	}
	return w.cutRows(f, m)
}

// replaced gives the error of the statement that failed in its place the code of the fault.
func (w *session) replaced(f fault, m apptest.Message) apptest.Message {
	switch m[0] {
	case 'E':
		return errorMessage(map[fault]string{timesOut: "57014", breaks: "XX000"}[f])
	case 'C':
		if w.ends {
			return nil // of the rollback in place of the COMMIT
		}
	}
	return m
}

func errorMessage(code string) apptest.Message {
	return newMessage('E', "SERROR\x00VERROR\x00C"+code+"\x00Mthe n-th statement fails\x00\x00")
}

// breakAmid gives an error in place of the next row and all after it.
func (w *session) breakAmid(m apptest.Message) apptest.Message {
	switch {
	case w.rows <= w.after:
		return m
	case m[0] == 'D' && w.rows == w.after+1:
		w.link.fire()
		return errorMessage("57014")
	case m[0] == 'Z' && m[5] == 'T':
		return newMessage('Z', "E")
	case m[0] == 'Z':
		return m
	}
	return nil
}

// cutRows cuts the connection within the rows, or between the last row and the end of the answer.
func (w *session) cutRows(f fault, m apptest.Message) apptest.Message {
	switch {
	case f == cutAmid && m[0] == 'D' && w.rows == w.after:
		_, _ = w.client.Write(m)
	case f == cutAtEnd && m[0] == 'C' && w.rows > 0:
	default:
		return m
	}
	w.lose()
	_ = w.client.Close()
	return nil
}
