package httpserver

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/httpserver/body"
)

// Work that takes longer than AnswerTimeout gets 503, also a stream without a first block. A stream
// that has begun may take longer.
func TestAnswerBeginsWithinItsTimeout(t *testing.T) {
	const limit = 200 * time.Millisecond
	late := &fakeSource{ended: make(chan ending, 1), then: blocked}
	begun := &fakeSource{
		ended: make(chan ending, 1),
		rest:  noise(body.BlockSize),
		step:  body.BlockSize,
		then: func(ctx context.Context) error {
			select {
			case <-time.After(2 * limit): // longer than an answer may take to begin
				return io.EOF
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	}
	s := serve(t, Options{AnswerTimeout: limit}, func(app *fiber.App) {
		app.Get("/work", func(c *fiber.Ctx) error { return blocked(c.UserContext()) })
		app.Get("/late", func(c *fiber.Ctx) error { return Stream(c, late.open, StreamOptions{}) })
		app.Get("/begun", func(c *fiber.Ctx) error {
			return Stream(c, begun.open, StreamOptions{})
		})
	})
	for path, want := range map[string]int{"/work": 503, "/late": 503, "/begun": 200} {
		a := s.get(t, path)
		require.NoError(t, a.err)
		require.Equal(t, want, a.StatusCode, path)
	}
	late.wantEnding(t, context.DeadlineExceeded)
	begun.wantEnding(t, nil)
}
