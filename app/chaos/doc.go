// Package chaos breaks what dg runs on (its database, instances, imports, each statement in turn),
// pushes from outside (slow and hostile clients, a greedy organisation, an attacker who asks for
// hidden reports) and looks for leaks: run_test.go has the checks. tenant_test.go sends by the world
// of nth_world_test.go all that every route and command can, and proves each statement's scope.
// With DG_CHAOS=1, as make chaos runs it, the suites have their full sizes; every run has a cut of
// them. Each test proves a promise of /docs/security.
package chaos
