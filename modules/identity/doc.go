// Package identity owns people: their password, two-step verification with its recovery codes, and sessions.
//
// Tables: users, sessions, known_browsers, password_guesses, recovery_codes, account_resets.
//
// Invariants:
//   - An e-mail belongs to one person, in any case: users.email_key, which EmailKey derives, is unique.
//   - A password is kept as argon2id in PHC form and never shown, logged or put into an error.
//   - A person with a TOTP secret has two-step verification on.
//   - A session is kept by the SHA-256 of its token, which is 256 random bits, and is read at each request.
//   - A session's token changes with each step up: after the code, the password, two-step verification on or off, new
//     recovery codes.
//   - A session alone changes nothing of how its person signs in: that takes the current password and, with two-step
//     verification on, a code or a recovery code (see Proof).
//   - A change of password hash or TOTP secret, an import's too, ends all sessions of the person: a trigger does it, so no
//     writer can forget it. Who changes it goes on in a session begun in the same transaction. Another trigger voids the
//     recovery codes of a secret that changes. To encrypt the same secret anew is no change: the owner of the tables alone
//     can count it in users.totp_rewritten.
//   - A recovery code is kept as a hash and removed when it is used: it works once, whatever happens at once.
//   - A reset (dg account reset) is made by the owner of the tables alone, works once within 30 minutes, and ends all
//     sessions, two-step verification and recovery codes of its person.
//   - Where there is a key, no secret of two-step verification is stored in clear, also not while it is only offered. Where
//     a secret cannot be read, no code is right: the answer is 503, and the log names the setting.
//   - What a code does happens in one transaction under the lock of its person's row: a code is taken once, and of many
//     wrong ones at once exactly ten are looked at, over all instances. The row is locked before sessions, everywhere.
//   - While guesses are too many a right one gets the same answer as a wrong one.
//
// Decisions:
//   - EmailKey is the lower-case form of the e-mail in Unicode's NFC: two spellings that look the same are the same.
//   - A hash is taken over from elsewhere only within bounds (see hash): what it costs to verify is decided by its
//     parameters, and those come from outside.
//   - A new password has at least 12 code points and at most 1,000 bytes, is neither common (see common.go),
//     nor the own e-mail, nor the current one. It is hashed in NFC, so that it is the same from every keyboard; it is not cut.
//   - Unknown e-mail, no password and wrong password: one answer, one count, and the same computation (see noHash).
//   - Passwords are counted by account (ten in a minute) and by address (20 in ten minutes, IPv6 by /64), known or not; in a
//     browser that has signed in before by that browser alone (five in 15 minutes). Within a session they are counted apart
//     from those: by person (ten in ten minutes) and by address (20 in ten minutes).
//   - Codes are counted by person, ten since the last right one; the wait after them doubles from a minute to an hour. In a
//     known browser they are counted by it. A code that was right and used already is no guess, and not counted.
//   - A browser is known by a random cookie of which the hash is kept: for one person, 180 days after the last sign-in, at
//     most 20 of a person. It lets nobody in.
//   - Security events go to Events in the transaction of what they are about. Failures are recorded after they are counted,
//     20 of an account in a minute one by one and the others as a number; where that fails the answer stays what it is.
//     Sign-ins are recorded like that, too, 20 of a person in a minute one by one.
//   - Instants are the instances' own clocks (now): they have to agree to seconds, as codes ask of them in any case.
//
// Trades:
//   - Without DG_TRUSTED_PROXIES behind a proxy, all clients have the proxy's address and share its 20 wrong passwords.
//   - Who has the password of an account can make the second step wait for an hour, but not in a browser that is known.
//   - An attempt that an address's wait refuses is recorded for its account as one in a wait of the account.
//   - A hash that was taken over with other parameters takes another time than an unknown e-mail: whoever measures it
//     learns that the e-mail exists.
//   - A hash that was taken over from a system that did not bring passwords into NFC does not fit one typed in another form.
//   - At most four attempts run at once in an instance, two of one network (IPv6 /64), and networks are served in turn: before
//     its first query an attempt waits five seconds at most, and is then told to retry. A flood of them leaves the pool to the
//     authentication of API keys.
//   - Hashes are computed on all processors but one, at most four at once. A hash that was taken over with several lanes uses
//     as many processors while it is computed.
//   - password_guesses is unlogged: a crash of PostgreSQL forgets a minute of wrong passwords.
//   - Without DG_SECRET_KEY secrets of two-step verification are stored in clear: the program has to compute codes from
//     them. With it, who reads the table still sees whether a person's secret is the one of before.
//   - Who has a stolen session while its person sets up two-step verification can read the secret that is offered. It turns
//     nothing on without the password, and signs nobody in without it.
package identity
