// Package identity owns people: passwords, two-step verification with recovery codes, and sessions.
//
// Tables: users, sessions, recovery_codes, account_resets, password_guesses, secret_key_check.
//
// Sign-in and sessions:
//   - users.email_key (EmailKey) is unique. Unknown e-mail, missing password and wrong password get
//     the same response, count and computation. Imported hashes with other parameters take a
//     different time, which reveals that their e-mail exists.
//   - hasher bounds the memory of concurrent hashes. The cost of imported hashes is bounded, so
//     that no sign-in exhausts the server.
//   - A session is stored under the SHA-256 of its token. The token rotates with the second step
//     and with each change of credentials. Changes except ConfirmTwoStep take a Proof.
//   - A trigger ends a person's sessions and reset when the password hash or TOTP secret changes,
//     also by import. A signed-in person who makes the change continues in a new session.
//   - Wrong passwords lock an account for their network (IPv4 address, IPv6 /64), more of them for
//     all networks. A new password ends these locks. Wrong codes lock the person. A row lock makes
//     counts exact over all instances, whose clocks must agree to seconds. Without
//     DG_TRUSTED_PROXIES all clients behind a proxy share its address.
//   - An instance runs at most four sign-ins at once, at most two of them from one network and three
//     from a /48. Each takes its slot before its first query, so that a flood holds no connections.
//
// Two-step verification is on for a person with a TOTP secret:
//   - The secret is created after the password check, and read with the rotated token only.
//   - A code is accepted once; a recovery code is deleted on use. At most ten concurrent wrong
//     codes are compared, on all instances. A person is locked before sessions, against deadlocks.
//   - With DG_SECRET_KEY every migration encrypts the stored secrets with it (MigrateSecrets). A
//     trigger refuses clear text from then on, and CheckSecretKey refuses programs without the key.
//     With an unreadable secret, a TOTP code gives 503; recovery codes still work. Re-encryption
//     increments users.totp_rewritten, so that it ends no session.
//   - Only the owner of the tables creates a reset. It works once within 30 minutes, and ends all
//     sessions of the person.
//
// Audit: resets, used and new recovery codes, and a person's changes of password or two-step
// verification commit with their entries. The program's log has sign-ins, failures and locks.
package identity
