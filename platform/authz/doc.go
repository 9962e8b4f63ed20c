// Package authz authorises actions with the casbin model and policy in configs/.
//
// The policy lists what each grant allows. The caller passes the organisation that owns the
// resource. A subject of another organisation is always denied.
//
// Decisions are not cached, because each takes only microseconds.
package authz
