package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// list measures the fork lists answered in a second, with a key that is authenticated and counted
// each time.
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
		return contestant{
			1, func(ctx context.Context) (float64, error) {
				return c.rate(ctx, path, 2*time.Second)
			},
		}
	}
	bare, err := b.authentication(keys)
	if err != nil {
		return err
	}
	got, err := alternate(ctx, 18*time.Second,
		rating(newClient(b.server.addr, keys), "/api/v1/forks"),
		rating(newClient(hello.addr, nil), "/"), bare)
	if err != nil {
		return err
	}
	b.report.atLeast("fork list of 50; limit: hello by fiber", got[0], got[1], 0.1)
	b.report.note("authenticating and counting in SQL, without a server: %s of hello, of which "+
		"the list, with one statement more, is %s",
		digits(got[2].over(got[1])), digits(got[0].over(got[2])))
	return nil
}

// authentication runs the statement that authenticates and counts, and nothing else, in several
// connections: it bounds the requests that anything can answer on this machine.
func (b *bench) authentication(keys *keyRing) (contestant, error) {
	statement, err := os.ReadFile("modules/apikeys/authenticate.sql")
	return contestant{1, func(ctx context.Context) (float64, error) {
		return rate(writers, 2*time.Second, func() error {
			token, ok := apikeys.ParseToken(strings.TrimPrefix(keys.header(), "Bearer "))
			if !ok {
				return errors.New("a key of the bench is none")
			}
			hash := sha256.Sum256([]byte(token.Secret))
			_, err := b.reads.Exec(ctx, string(statement), token.ID, hash[:], false)
			return err
		})
	}}, err
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
