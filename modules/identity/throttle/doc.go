// Package throttle limits guesses of passwords and codes. While a limit is reached, nothing is
// compared, and a right attempt gets the same answer as a wrong one: LockedError.
//
// Table: password_guesses. It is unlogged: a crash of PostgreSQL loses the counts of the last
// minutes. Clocks of instances must agree to seconds.
//
//   - Limit is a number of attempts in a window. The row's lock makes the count exact over all
//     instances. The last attempt starts a lock of the window's length.
//   - Passwords, at the sign-in and within a session: ten in ten minutes by account and network (IPv4
//     address, IPv6 /64), and 50 by account.
//   - Codes: ten in an hour by person.
//
// Without DG_TRUSTED_PROXIES all clients behind a proxy share its address.
package throttle
