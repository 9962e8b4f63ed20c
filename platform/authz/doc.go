// Package authz decides who may do what, by the model and the policy in configs/, which are compiled into the program.
//
// The policy says only what a grant allows. The caller finds out which organisation owns a resource and passes it; nothing is
// ever allowed across organisations. An error while deciding refuses.
//
// casbin is used in this package only. It takes 9 µs for a decision, so decisions are remembered.
package authz
