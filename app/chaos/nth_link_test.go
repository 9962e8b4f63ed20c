package chaos

import (
	"net"
	"sync"
	"testing"

	"dg/app/apptest"
)

// A fault is what happens to one statement on its way to PostgreSQL or back.
type fault string

const (
	timesOut   fault = "times out"                // a transient error: 57014
	breaks     fault = "breaks"                   // a permanent error: XX000
	cutBefore  fault = "is cut before it is sent" // it does not run
	cutAfter   fault = "is cut before its answer" // it runs, and its answer is lost
	cutAmid    fault = "is cut amid its rows"     // the rest of its answer is lost
	cutAtEnd   fault = "is cut after its last row"
	breaksAmid fault = "breaks amid its rows" // as when a timeout is reached while rows are sent
)

// lost reports whether the statement may have happened although it failed.
func (f fault) lost() bool { return f == cutAfter || f == cutAmid || f == cutAtEnd }

// link is a proxy in front of PostgreSQL that counts the statements of its client and lets a fault
// happen to one of them. A statement is an Execute or a simple query of the protocol: each of a
// batch, BEGIN and COMMIT too.
type link struct {
	recorder *recorder

	mu      sync.Mutex
	kind    fault
	left    int  // statements until the fault; 0: none
	rows    int  // that arrive before a fault within the rows
	reached bool // there was such a statement
	fired   bool // and the fault happened to it
	cut     sync.WaitGroup
}

// newLink returns a link to the database of the URL, and the URL through it. r keeps what is sent,
// or is nil.
func newLink(t *testing.T, database string, r *recorder) (l *link, through string) {
	t.Helper()
	l = &link{recorder: r}
	return l, apptest.SocketProxy(t, database, func(client, server net.Conn) {
		w := &session{link: l, client: client, server: server}
		go w.toServer()
		w.toClient()
	})
}

// arm lets the fault happen to the n-th statement from now on; a fault within its rows happens
// after that many rows.
func (l *link) arm(kind fault, n, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kind = kind
	l.left = n
	l.rows = rows
	l.reached = false
	l.fired = false
}

// disarm reports whether there was such a statement, and whether the fault happened to it.
// PostgreSQL has ended what was cut.
func (l *link) disarm() (reached, fired bool) {
	l.mu.Lock()
	l.left = 0
	reached = l.reached
	fired = l.fired
	l.mu.Unlock()
	l.cut.Wait()
	return reached, fired
}

// next counts a statement and returns the fault that happens to it, and after how many rows.
func (l *link) next() (fault, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 {
		return "", 0
	}
	if l.left--; l.left > 0 {
		return "", 0
	}
	l.reached = true
	return l.kind, l.rows
}

func (l *link) fire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fired = true
}
