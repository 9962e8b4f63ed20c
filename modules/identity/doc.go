// Package identity owns people: their password, two-step verification with its recovery codes, and sessions.
//
// Tables: users, sessions, password_guesses, recovery_codes, account_resets.
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
//   - A new password has at least 12 code points and at most 1,000 bytes, of any kind. It is hashed in NFC, so that it is
//     the same from every keyboard; it is not cut, trimmed or looked up anywhere.
//   - Unknown e-mail, no password and wrong password: one answer, one count, and the same computation (see noHash).
//   - Passwords are counted by the hash of the e-mail, known or not; ten wrong ones within a minute make it wait a minute.
//     Codes and recovery codes are counted by person, wherever they are asked for; ten since the last right one, however long
//     ago. A code that was right and used already is no guess, and not counted.
//   - A recovery code is 80 random bits: a plain hash is enough, and comparing costs nothing that had to be bounded. Case,
//     dashes, spaces and letters that look like digits make no difference.
//   - What was changed is told once, from the session's row (Notice): an address says nothing.
//   - A secret is encrypted with a nonce that is derived from person and secret, so that an import of the same secret
//     changes nothing. Secrets in clear or under the previous key are rewritten by RewriteSecrets when a command starts, and
//     at no other time: one place, as the owner, after which the previous key can be forgotten.
//   - Instants are the instances' own clocks (now): they have to agree to seconds, as codes ask of them in any case.
//
// Trades:
//   - Who knows somebody's e-mail can keep that person from signing in by guessing ten times a minute; sessions go on.
//     Counting by address as well would not stop somebody with many of them, and would lock out whole offices.
//   - Ten codes a minute are 14,400 a day of three in a million: who has the password finds one in weeks. The wait does
//     not grow; it is the one that was asked for.
//   - A hash that was taken over with other parameters takes another time than an unknown e-mail: whoever measures it
//     learns that the e-mail exists.
//   - A hash that was taken over from a system that did not bring passwords into NFC does not fit one typed in another form.
//   - At most four hashes are computed at once (76 MB), or one of the largest taken over (256 MB), and 64 more wait; who
//     comes then is told to try again. Somebody who floods the sign-in keeps others from it, not from the screens.
//   - password_guesses is unlogged: a crash of PostgreSQL forgets a minute of wrong passwords.
//   - Without DG_SECRET_KEY secrets of two-step verification are stored in clear: the program has to compute codes from
//     them. With it, who reads the table still sees whether a person's secret is the one of before.
//   - Who has a stolen session while its person sets up two-step verification can read the secret that is offered. It turns
//     nothing on without the password, and signs nobody in without it.
package identity
