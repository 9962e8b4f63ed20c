// Package identity owns people: passwords, two-step verification with recovery codes, and sessions.
//
// Tables: users, sessions, recovery_codes, account_resets, password_guesses, secret_key_check.
//
// Sign-in and sessions:
//   - users.email_key (EmailKey) is unique. An unknown e-mail, a missing password and a wrong
//     password get the same response, count and computation. Imported hashes with other parameters
//     take a different time, which reveals that their e-mail exists.
//   - hasher bounds the memory of concurrent hashes. The cost of imported hashes is bounded, so
//     that no sign-in exhausts the server.
//   - A session is stored under the SHA-256 of its token. The token rotates with the second step
//     and with each change of credentials, which takes a Proof (except ConfirmTwoStep).
//   - A trigger ends a person's sessions and reset when the password hash or TOTP secret changes,
//     also by import. A signed-in person who makes the change continues in a new session.
//   - Ten wrong passwords lock an account for their network (IPv4 address or IPv6 /64), fifty for
//     all networks. A new password ends these locks. Ten wrong codes lock the person. A row lock
//     makes counts exact over all instances, whose clocks must agree to seconds. Without
//     DG_TRUSTED_PROXIES all clients behind a proxy share its address.
//   - An instance runs at most four sign-ins at once, two of one network and three of a /48. A
//     sign-in takes its slot before its first query, so that a flood holds no connections.
//
// Two-step verification is on for a person with a TOTP secret:
//   - The secret is offered after a password check, and only to the rotated token.
//   - A code is accepted once; a recovery code is deleted on use. The person's row is locked before
//     sessions, against deadlocks.
//   - With DG_SECRET_KEY every migration encrypts the stored secrets with it (MigrateSecrets). A
//     trigger then refuses clear text, and CheckSecretKey refuses programs without the key. If a
//     secret is unreadable, a TOTP code gets 503; recovery codes still work. Re-encryption
//     increments users.totp_rewritten, so that it ends no session.
//   - Only the owner of the tables creates a reset. A reset works once within 30 minutes, and ends
//     all sessions of the person.
//
// Audit: resets, used and new recovery codes, and a person's changes of password or two-step
// verification commit with their entries. The program's log has sign-ins, failures and locks.
package identity
