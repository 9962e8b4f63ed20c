// Package keys is the keys of an organisation: the list, a page of each, and the forms that create,
// rename, replace and revoke one. Replacing is the form of creating with the old key's values. The
// answer that shows a secret is the only one that does: whatever can fail happens before the key is
// made.
//
// Every settings screen names the keys that expire soon: ExpiringKeys is passed to the other wings.
package keys
