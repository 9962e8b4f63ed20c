// Package keys is the keys of an organisation: the list, a page of each, and the forms that create,
// rename, replace and revoke one. The form that replaces a key is the one that creates, with the
// old key's values. Only the response to the creation shows the secret, so everything that can fail
// happens before it.
//
// Every settings screen names the keys that expire soon: ExpiringKeys is passed to the other
// packages.
package keys
