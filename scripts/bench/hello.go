package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver"
)

// helloCommand makes this program a server that answers a constant: the limit of any request. It is a process of its
// own, as dg is.
const helloCommand = "serve-hello"

// The kinds of hello: the framework alone, and with what httpserver does for each request (guards, metrics, access log).
const (
	helloFramework = "framework"
	helloStack     = "stack"
)

func hello(c *fiber.Ctx) error { return c.SendString("hello\n") }

// runHello serves until the process is told to end; a signal ends it at once, for nothing is lost.
func runHello(kind string, out io.Writer) int {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // lives as long as the process
	if err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	fmt.Fprintf(out, "Serving on http://%s\n", ln.Addr())
	if kind == helloStack {
		s := httpserver.New(httpserver.Options{Logger: slog.Default()})
		s.App().Get("/", hello)
		err = s.Serve(ln)
	} else {
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		app.Get("/", hello)
		err = app.Listener(ln)
	}
	if err != nil {
		return 1
	}
	return 0
}
