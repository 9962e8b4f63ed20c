// Package body sends long response bodies.
//
//   - body.go: Body, which fasthttp sends as a stream; blocks.go: its blocks of 64 KB
//   - deadline.go: the write deadline of each block; gzip.go: compression
//
// Invariants:
//   - fasthttp loses an error that comes with bytes, one that is io.EOF itself, and one that only
//     Close returns. The errors of WriteTo come alone and are wrapped.
//   - A truncated body never looks complete. Its connection resets on close (SO_LINGER 0) until the
//     last block is sent, also when the process is killed; GNU wget accepts a plain end.
//   - The first block is filled before the response starts: early failures are ordinary errors.
//   - Each block has its own write deadline. A body holds one block in memory.
//   - A source runs without the *fiber.Ctx, which serves another request meanwhile.
//
// Why not fasthttp's and fiber's own: SetBodyStreamWriter ends the body cleanly on an early return,
// and a panic in it kills the process. The compress middleware ends a broken stream with a valid
// gzip footer. HEAD on a body stream writes a stray CRLF. nginx drops the values of trailers.
package body
