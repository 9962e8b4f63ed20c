// Package keys serves the API keys of an organisation. A key is replaced by the form that creates
// keys, filled in with the old key's values. Only the response to the creation shows the secret, so
// all that this response needs is read before the creation.
//
// The other settings screens get ExpiringKeys as a function, because packages of screens do not
// import one another.
package keys
