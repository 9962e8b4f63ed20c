// Package httpserver serves HTTP: connections, framing, errors, JSON, streams and shutdown.
// NewWithoutApp returns a Server for another program's fiber.App, whose handlers run in its Handle.
//
// Invariants:
//   - Chunked requests and contradicting lengths are refused, against request smuggling.
//   - Errors become responses. Causes of server errors are logged with the request id.
//   - A response is sent after its handler has returned. Its Source must not keep the *fiber.Ctx,
//     which may serve another request by then.
//   - A truncated stream does not look complete: its connection is reset (SO_LINGER 0), also when
//     the process is killed. GNU wget would accept a FIN inside a chunk as the end of the file. A
//     truncated gzip file has no footer.
//   - Each block has a write deadline. Stream reads one block at a time.
//
// Not used, because unsafe: fasthttp's SetBodyStreamWriter ends a body cleanly on an early return.
// fiber's compress middleware ends a broken stream with a valid footer. fiber's c.Fresh ignores the
// date of an If-Modified-Since without If-None-Match.
package httpserver
