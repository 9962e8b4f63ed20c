// Package fairshare admits expensive work with fair queueing by organisation. It bounds concurrency
// and memory.
//
// Invariants:
//   - An organisation holds one piece of work, or at most half of the slots and bytes that the
//     others leave free: 8 slots always admit four organisations, 16 admit five.
//   - Work for more than half of the bytes counts as half, and one such piece runs at a time. So
//     Limits.Bytes and the excess of one piece bound the memory in use.
//   - The least recently served organisation is granted its first request within its shares. A
//     request above its own organisation's share causes no head-of-line blocking for others.
//   - No request waits longer than Wait. An organisation queues at most MaxWaiting requests (or
//     Limits.Waiting). The server's connections bound the queue as a whole.
//   - A request whose credential was accepted before queues with its organisation (TenantHints).
//     Any other queues with its network, in another limiter (package postgres).
//   - With Limits.Rest a slot rests as long as it worked, up to maxRest, which bounds processor
//     time.
//   - A lease is released once, however often Release is called. An idle organisation is forgotten.
package fairshare
