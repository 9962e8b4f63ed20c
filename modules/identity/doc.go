// Package identity owns people: passwords, two-step verification with recovery codes, and sessions.
//
// Tables: users, sessions, recovery_codes, account_resets, password_guesses, secret_key_check.
//
// Sign-in and sessions:
//   - users.email_key (EmailKey) is unique. Unknown e-mail, missing password and wrong password get
//     the same response, count and computation. Imported hashes with other parameters take a
//     different time, which reveals that their e-mail exists.
//   - hasher bounds the memory of concurrent hashes, and imported hashes must be within bounds: no
//     sign-in can exhaust the server.
//   - A session is stored under the SHA-256 of its token. The token rotates with the second step
//     and any change of credentials, which takes the current password and the code (Proof).
//   - A trigger ends all sessions and resets when the password hash or TOTP secret changes, also by
//     import. The person who makes the change continues in a new session.
//   - Wrong passwords lock by account and network (IPv4 address, IPv6 /64) and, later, by account;
//     wrong codes by person. A row's lock makes the count exact over all instances, whose clocks
//     agree to seconds. Without DG_TRUSTED_PROXIES all clients behind a proxy share its address.
//   - At most four sign-ins run at once, at most half of them from one network. They wait for a
//     slot before the first query.
//
// Two-step verification is on for a person with a TOTP secret:
//   - A code is accepted once and a recovery code is deleted on use. Of concurrent wrong codes
//     exactly ten are compared, over all instances. The person's row is locked before sessions.
//   - With DG_SECRET_KEY every migration encrypts the stored secrets with it (MigrateSecrets). A
//     trigger refuses clear text from then on, and CheckSecretKey refuses programs without the key.
//     An unreadable secret gives 503. Re-encryption counts in users.totp_rewritten and ends no
//     session.
//   - Only the owner of the tables creates a reset. It works once within 30 minutes, and ends all
//     sessions.
//
// Audit: a change of a person's security commits with its entry, or the response is 503. Sign-ins,
// failed ones and locks are in the program's log.
package identity
