// Package chaos breaks what dg runs on (its database, the link to it, instances, imports, each
// statement in turn), pushes from outside (slow, hostile, greedy and curious clients) and looks for
// what is left: ordeal_test.go has the checks. tenant_test.go sends by the world of
// nth_world_test.go all that every route and command can, and proves each statement's scope. With
// DG_CHAOS=1, as make chaos runs it, the suites have their full sizes; every run has a cut of them.
// Each test proves a promise of /docs/security.
package chaos
