// Package identity owns people: their password, two-step verification and sessions.
//
// Tables: users, sessions, password_guesses.
//
// Invariants:
//   - An e-mail belongs to one person, in any case: users.email_key, which EmailKey derives, is unique.
//   - A password is kept as argon2id in PHC form and never shown, logged or put into an error.
//   - A person with a TOTP secret has two-step verification on.
//   - A session is kept by the SHA-256 of its token, which is 256 random bits, and is read at each request.
//   - A session's token changes with each step up: after the code, the password, two-step verification on or off.
//   - A change of password hash or TOTP secret, an import's too, ends all sessions of the person: a trigger does it, so no
//     writer can forget it. Who changes it goes on in a session begun in the same transaction.
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
//     Codes are counted by person, in the second step and in turning it off; ten since the last right one, however long
//     ago. A code that was right and used already is no guess, and not counted.
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
//   - A secret of two-step verification is stored as it is: the program has to compute codes from it.
package identity
