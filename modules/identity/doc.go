// Package identity owns people: passwords, two-step verification with recovery codes, and sessions.
//
// Tables: users, sessions, known_browsers, password_guesses, recovery_codes, account_resets,
// secret_key_check.
//
// Passwords:
//   - users.email_key (EmailKey) is unique. Passwords are argon2id in PHC form over NFC text, never
//     logged and never cut.
//   - Unknown e-mail, missing password and wrong password get one answer, one count and one
//     computation (dummyHash). Imported hashes with other parameters take another time, which
//     reveals that their e-mail exists.
//   - Hashing runs at most four times at once, on all processors but one.
//
// Sessions:
//   - A session is stored by the SHA-256 of its token. The token rotates with the second step and
//     any change of credentials.
//   - A session alone changes no credential: that takes the current password and, with two-step
//     verification, a code (Proof).
//   - A trigger ends all sessions, browsers and resets when the password hash or TOTP secret
//     changes, also by import. The person who makes the change continues in a new session of the
//     same transaction.
//   - sessions.notice is unused. The previous release writes it; drop it one release later.
//
// Two-step verification is on for a person with a TOTP secret:
//   - A code is accepted once and a recovery code is deleted on use, both under the lock of the
//     person's row. That row is locked before sessions. Of concurrent wrong codes exactly ten are
//     compared, over all instances.
//   - A changed secret voids the recovery codes (trigger). Re-encryption counts in
//     users.totp_rewritten and changes nothing.
//   - With DG_SECRET_KEY every stored secret is encrypted. A trigger refuses clear text from then
//     on, and CheckSecretKey refuses programs without the key. An unreadable secret gives 503, and
//     the log names the setting.
//   - A reset (dg account reset) needs the owner of the tables, works once within 30 minutes, and
//     ends all sessions.
//
// Limits. While one is reached, a right attempt gets the same answer as a wrong one:
//   - Passwords: ten a minute by account, 20 in ten minutes by address (IPv6 /64). In a session:
//     ten by session, 20 by address and 50 by person in ten minutes, apart from those of sign-in,
//     which strangers can reach.
//   - Codes: ten since the last right one, then a lock that doubles from a minute to an hour.
//   - A known browser (random cookie, 180 days, at most 20 a person) has limits of its own, five in
//     15 minutes. Locks that strangers cause do not affect it.
//   - Four sign-ins run at once; one network gets at most half of what the others leave free,
//     before the first query.
//   - password_guesses is unlogged: a crash of PostgreSQL loses the counts of the last minutes.
//     Clocks of instances must agree to seconds. Without DG_TRUSTED_PROXIES all clients behind a
//     proxy share its address.
//
// Audit: a security event commits with its change, or the answer is 503. A failure is recorded
// after it is counted. Entries above 20 a minute of one action and account are counted. A right
// password without a code has no entry: it would be written at each sign-in, or on expiry, which
// has no hook.
package identity
