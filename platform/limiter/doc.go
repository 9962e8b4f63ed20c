// Package limiter admits expensive work by organisation: so much runs at once, so much for one organisation, and whoever
// comes later waits for its turn.
//
// Invariants:
//   - No organisation holds more than its share, whether others ask or not. With shares of at most a half, what one
//     organisation runs never closes the door to another.
//   - Organisations that wait are served in turn, one request each; requests of one organisation in the order in which they
//     came. A request behind which only its own organisation's share stands holds up nobody else.
//   - Nobody waits for more than Wait, and no organisation has more than MaxWaiting requests in the queue. The queue as a
//     whole is bounded by the connections of the server: each request that waits holds one.
//   - What was acquired is released once, however often Release is called. An organisation is forgotten when it holds
//     nothing and waits for nothing.
package limiter
