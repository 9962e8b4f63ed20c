// Package authz decides who may do what, by the casbin model and policy in configs/.
//
// The policy defines what a grant allows within one organisation. The caller looks up the owner of
// a resource and passes it; access across organisations is always denied. An error denies.
//
// Decisions are not cached: one takes microseconds.
package authz
