// Package twostep has the codes of two-step verification: six digits of an authenticator app
// (TOTP, RFC 6238), and recovery codes. Match returns the time step of a code, so that the caller
// accepts each once. A code of the app never has the form of a recovery code.
package twostep
