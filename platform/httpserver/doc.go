// Package httpserver serves HTTP: connections, framing, errors, JSON, streams and shutdown. All but
// Server also works on another program's fiber.App, inside Handle.
//
// Invariants:
//   - Handle refuses chunked requests and contradicting lengths, which rules out smuggling.
//   - WriteError alone turns errors into responses. Causes go to the log with the request id.
//   - A response outlives its handler while it is sent. Its source must not keep the *fiber.Ctx,
//     which then serves another request.
//   - A truncated body never looks complete: its connection is reset (SO_LINGER 0), also when the
//     process is killed. GNU wget would accept a FIN inside a chunk as the end of the file. A
//     truncated gzip file has no footer.
//   - Each block has a write deadline. A stream holds one block in memory.
//
// Unsafe here, and not used: fasthttp's SetBodyStreamWriter ends a body cleanly on an early return.
// fiber's compress middleware ends a broken stream with a valid footer. fiber's c.Fresh responds
// 304 to any If-Modified-Since.
package httpserver
