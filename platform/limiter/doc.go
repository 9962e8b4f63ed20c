// Package limiter admits expensive work by organisation. It bounds what runs at once; further requests wait for their turn.
//
// Invariants:
//   - An organisation holds one piece of work, or at most half of what the others leave free, of places and of bytes. So the
//     first organisation that takes all it can get holds a half, the next a quarter, and so on: with 8 places four
//     organisations always find one, with 16 places five.
//   - Work for more than half of the bytes counts as half, and one such piece runs at a time over all organisations: so the
//     memory in use is bounded by Limits.Bytes and the excess of one piece of work.
//   - Organisations that wait are served in turn, one request each, first the one whose last place was granted or given back the
//     longest ago; requests of one organisation in the order in which they came. A request that waits for its own organisation's
//     share only holds up nobody else.
//   - Nobody waits longer than Wait, and no organisation has more than MaxWaiting requests (or Limits.Waiting) in the queue. The connections of
//     the server bound the queue as a whole: each waiting request holds one.
//   - What waits need not be an organisation: requests that are not authenticated yet wait as the network that they come from
//     (WithFlow), unless their credential was accepted before (Known). Known decides nothing but whose turn it is.
//   - A lease is released once, however often Release is called. An organisation that holds nothing and waits for nothing is
//     forgotten.
package limiter
