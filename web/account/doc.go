// Package account is the screens of the sign-in and of a person's account: password, two-step
// verification and sessions.
package account
