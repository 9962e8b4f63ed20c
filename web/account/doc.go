// Package account serves the sign-in, the reset of a password, and the screens of a person's
// account: password, two-step verification and sessions.
package account
