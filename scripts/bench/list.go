package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"
)

// list measures the fork lists answered in a second, with a key that is authenticated and counted each time.
func (b *bench) list(ctx context.Context) error {
	set, err := b.dataset(ctx, dataset{Forks: 50})
	if err != nil {
		return err
	}
	keys, err := b.keysOf(ctx, set.IDs.Organisation.String(), 5_000) // 120 requests a minute each
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	hello, err := startServer(command(ctx, program, helloCommand))
	if err != nil {
		return err
	}
	defer func() { _ = hello.stop() }() // a signal ends it, which is no success
	rating := func(c *client, path string) contestant {
		return contestant{1, func(ctx context.Context) (float64, error) { return c.rate(ctx, path, 2*time.Second) }}
	}
	got, err := alternate(ctx, 12*time.Second, rating(newClient(b.server.addr, keys), "/api/v1/forks"), rating(newClient(hello.addr, nil), "/"))
	if err != nil {
		return err
	}
	b.report.atLeast("fork list of 50; limit: hello by fiber", got[0], got[1], 0.1)
	return nil
}

// helloCommand makes this program a server that answers a constant: the limit of any request.
const helloCommand = "serve-hello"

// serveHello serves until a signal ends the process.
func serveHello(out io.Writer) int {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // lives as long as the process
	if err != nil {
		return 1
	}
	fmt.Fprintf(out, "Serving on http://%s\n", ln.Addr())
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("hello\n") })
	if app.Listener(ln) != nil {
		return 1
	}
	return 0
}
