// Package identity owns people: their password, two-step verification and sessions.
//
// Tables: users.
//
// Invariants:
//   - An e-mail belongs to one person, in any case: users.email_key, which EmailKey derives, is unique.
//   - A password is kept as argon2id in PHC form and never shown, logged or put into an error.
//   - A person with a TOTP secret has two-step verification on.
//
// Decisions:
//   - EmailKey is the lower-case form of the e-mail in Unicode's NFC: two spellings that look the same are the same.
//   - A hash is taken over from elsewhere only within bounds (see hash): what it costs to verify is decided by its
//     parameters, and those come from outside.
package identity
