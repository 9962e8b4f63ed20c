// Package identity owns people: passwords, two-step verification with recovery codes, and sessions.
//
// Tables: users, sessions, known_browsers, password_guesses, recovery_codes, account_resets,
// secret_key_check.
//
// Passwords:
//   - An e-mail belongs to one person: users.email_key, which EmailKey derives, is unique.
//   - A password is stored as argon2id in PHC form. It is never shown, logged or part of an error. It is hashed in NFC, so that
//     it is the same from every keyboard, and is not cut.
//   - A new password has at least 12 code points and at most 1,000 bytes, and is neither common
//     (common_passwords.go), nor the person's e-mail, nor made of the person's name or an
//     organisation's, nor the current password.
//   - Unknown e-mail, no password and wrong password get one answer, one count and the same computation (dummyHash).
//   - Hashes from elsewhere are accepted within bounds: their parameters decide what one sign-in costs. A hash with other
//     parameters than ours takes another time than an unknown e-mail, which shows that the e-mail exists. A password that the
//     other system did not bring into NFC may not match.
//   - Hashes are computed on all processors but one, at most four at once. A hash with several lanes uses that many processors.
//
// Sessions:
//   - A session is stored by the SHA-256 of its token and read at each request.
//   - The token changes with the second step, the password, two-step verification on or off, and new recovery codes.
//   - A session alone changes nothing of how its person signs in: that takes the current password and, with two-step
//     verification on, a code or a recovery code (Proof).
//   - A session knows when its person last entered the password (Reauthenticate), by the database's
//     clock. Each insert follows a right password, and the column's default is that moment.
//   - A change of password hash or TOTP secret, also by an import, ends all sessions of the person, forgets the browsers and
//     voids a reset: a trigger does it, so that no writer can forget it. The person who makes the change continues in a session that
//     begins in the same transaction.
//   - sessions.notice is no longer used. The last release writes it: it goes a release later.
//
// Two-step verification:
//   - It is on for a person with a TOTP secret. A change of the secret voids the recovery codes, by a trigger. Re-encrypting the
//     same secret is no change: the owner of the tables counts it in users.totp_rewritten.
//   - A code is accepted once, and a recovery code is removed when it is used. Both happen under the lock of the person's row: of
//     concurrent wrong codes exactly ten are compared, over all instances. The person's row is locked before sessions.
//   - With DG_SECRET_KEY no secret is stored in clear, not even while it is only offered, and none in
//     clear is accepted. The first start encrypts what was in clear and records a check value. From
//     then on a trigger refuses secrets in clear, and CheckSecretKey refuses programs without the key.
//   - Without DG_SECRET_KEY secrets are in clear: the program needs them to compute codes.
//   - Where a secret cannot be read no code is right: the answer is 503 and the log names the setting.
//   - A person who sets up two-step verification in a stolen session shows the thief the offered secret. It is worth nothing
//     without the password.
//   - A reset (dg account reset) can be made by the owner of the tables alone, works once within 30 minutes, and ends all
//     sessions, two-step verification and recovery codes of its person.
//
// Limits:
//   - Passwords are counted by account (ten in a minute) and by address (20 in ten minutes, IPv6 by
//     /64), whether the e-mail is known or not. Within a session they are counted apart, in ten
//     minutes: by session (ten), by address (20) and by person (50). Who copied a cookie locks one
//     session, and its person changes the password in another.
//   - Codes are counted by person, ten since the last right one; the lock after them doubles from a minute to an hour. A code
//     that was right and used already is not counted.
//   - A known browser has limits of its own, five in 15 minutes, and ignores those above. It is known by a random cookie,
//     stored as a hash: for one person, for 180 days after the last sign-in, at most 20 of a person. It never replaces
//     a sign-in.
//   - While a limit is reached, a right attempt gets the same answer as a wrong one.
//   - At most four sign-ins run at once in an instance; one network gets at most half of what the others leave free. The rest
//     wait for at most five seconds before their first query, networks in turn. A flood leaves the pool to the authentication
//     of API keys.
//   - Somebody with the password of an account can lock its second step for an hour, but not in a known browser.
//   - Behind a proxy and without DG_TRUSTED_PROXIES all clients share the proxy's address, and its 20 wrong passwords.
//   - password_guesses is unlogged: a crash of PostgreSQL forgets the wrong passwords of the last minutes.
//   - Times come from the instances' clocks, which have to agree to seconds: codes need that anyway.
//
// Audit (Auditor):
//   - A security event commits together with what it is about; where it cannot be written nothing happens, and the answer is 503.
//     A failure is recorded after it is counted; where that fails the answer stays that of a failure.
//   - Of each action of an account 20 entries a minute are written one by one. The others are counted.
//   - A sign-in that an address's limit refuses is recorded for its account as one in a lock of the account.
//   - A right password whose code is never given has no entry. It would need one with the password, so that every sign-in with
//     two-step verification had two, or one with the expiry, which nobody watches: expired sessions are removed a thousand at a
//     time, during somebody else's sign-in. Each wrong code is recorded and names the right password.
package identity
