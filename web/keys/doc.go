// Package keys serves the API keys of an organisation: the list, a page of each key, and the forms
// that create, rename, replace and revoke a key. A key is replaced by the form that creates keys,
// filled in with the old key's values. Only the response to the creation shows the secret, so every
// step that can fail runs before the creation.
//
// Every settings screen names the keys that expire soon. The other packages get ExpiringKeys as a
// function, because packages of screens do not import one another.
package keys
