// Package fairshare admits expensive work with fair queueing by organisation. It bounds concurrency
// and memory.
//
// Invariants:
//   - An organisation holds one piece of work, or at most half of the slots and bytes that the
//     others leave free. The first greedy organisation holds a half, the next a quarter, and so on:
//     8 slots always admit four organisations, 16 admit five.
//   - Work for more than half of the bytes counts as half, and one such piece runs at a time. So
//     Limits.Bytes and the excess of one piece bound the memory in use.
//   - The least recently served organisation is granted one request: the first that its shares
//     allow. A request above its own organisation's share causes no head-of-line blocking for
//     others.
//   - No request waits longer than Wait. An organisation queues at most MaxWaiting requests (or
//     Limits.Waiting). The server's connections bound the queue as a whole.
//   - A flow need not be an organisation. A request with a credential that was accepted before
//     queues with its organisation (TenantHints, which authorise nothing). Any other queues with
//     its network, in a limiter of its own (package postgres).
//   - With Limits.Rest a slot rests as long as it worked, up to maxRest. That bounds processor
//     time: a flood of short statements on two connections kept two cores busy.
//   - A lease is released once, however often Release is called. An idle organisation is forgotten.
package fairshare
