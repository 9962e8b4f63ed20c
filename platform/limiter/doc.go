// Package limiter admits expensive work by organisation. It bounds what runs at once; further requests wait for
// their turn.
//
// Invariants:
//   - An organisation holds one piece of work, or at most half of what the others leave free, of places and of
//     bytes. So the first organisation that takes all it can get holds a half, the next a quarter, and so on: with
//     8 places four organisations always find one, with 16 places five.
//   - Work for more than half of the bytes counts as half, and one such piece runs at a time over all organisations:
//     so the memory in use is bounded by Limits.Bytes and the excess of one piece of work.
//   - The least recently served organisation comes first, and is granted one request; requests of one organisation
//     are FIFO. A request that waits for its own organisation's share blocks no other organisation.
//   - No request waits longer than Wait, and no organisation has more than MaxWaiting requests (or Limits.Waiting)
//     in the queue. The connections of the server bound the queue as a whole: each waiting request holds one.
//   - A flow need not be an organisation. A request whose credential was accepted before queues with its
//     organisation (TenantHints, which authorise nothing); any other one queues with its network, in a limiter of
//     its own (package postgres).
//   - Under Limits.Rest a place works at most half of the time. Places alone do not bound processor time: a flood of
//     short statements on two connections kept two cores busy.
//   - A lease is released once, however often Release is called. An organisation that holds nothing and waits for
//     nothing is forgotten.
package limiter
