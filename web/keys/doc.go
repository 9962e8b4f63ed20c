// Package keys serves the API keys of an organisation. To replace a key, the form that creates keys
// is filled in with the old key's values. Only the response to the creation shows the secret, so
// nothing is read from the database after the creation.
package keys
