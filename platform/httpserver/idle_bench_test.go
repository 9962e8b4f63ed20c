package httpserver

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"syscall"
	"testing"

	"github.com/gofiber/fiber/v2"
)

// What releasing a connection's buffers between requests costs (BenchmarkSmallRequest; "cpu-ns/op"
// is the processor time of client and server together) and saves (BenchmarkIdleConnection).

func BenchmarkSmallRequest(b *testing.B) {
	for name, reduce := range map[string]bool{"kept": false, "given back": true} {
		b.Run(name, func(b *testing.B) {
			addr := benchServer(b, reduce, Options{})
			conn, in := benchConn(b, addr)
			before := cpuTime()
			for b.Loop() {
				benchRequest(b, conn, in)
			}
			b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

func BenchmarkIdleConnection(b *testing.B) {
	for name, reduce := range map[string]bool{"kept": false, "given back": true} {
		b.Run(name, func(b *testing.B) {
			const connections = 400
			for b.Loop() {
				addr := benchServer(b, reduce, Options{})
				before := memoryInUse()
				for range connections {
					conn, in := benchConn(b, addr)
					benchRequest(b, conn, in)
				}
				b.ReportMetric(float64(memoryInUse()-before)/connections, "B/connection")
			}
		})
	}
}

func benchServer(b *testing.B, reduce bool, o Options) string {
	s := New(o)
	s.app.Server().ReduceMemoryUsage = reduce
	s.log = slog.New(slog.DiscardHandler)
	s.App().Get("/", func(c *fiber.Ctx) error {
		return SendJSON(c, []byte(`{"items":[]}`), JSONOptions{})
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = s.Serve(ln) }()
	b.Cleanup(func() { _ = s.Shutdown(b.Context()) })
	return ln.Addr().String()
}

func benchConn(b *testing.B, addr string) (net.Conn, *bufio.Reader) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return conn, bufio.NewReaderSize(conn, 512)
}

func benchRequest(b *testing.B, conn net.Conn, in *bufio.Reader) {
	if _, err := io.WriteString(conn,
		"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n"); err != nil {
		b.Fatal(err)
	}
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
}

func memoryInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func cpuTime() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
