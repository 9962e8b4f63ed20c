// Package authz decides who may do what, by the model and the policy in configs/, which are compiled into the program.
//
// The policy says only what a grant allows. Which organisation a thing belongs to is the caller's to find out and to
// pass; the model never allows anything across organisations. Whatever goes wrong while deciding refuses.
//
// casbin is used here and nowhere else.
package authz
