// Package tenant makes gorm refuse statements that may reach rows of several organisations.
//
// A statement of gorm's builder on an organisation's table needs Scope, which adds the condition.
// Raw and Exec take the organisation as an argument. The guard refuses other statements on these
// tables, joins, expressions and raw SQL, unless Across marks them as exceptions. It catches
// forgotten conditions, but not deliberate circumvention, because it does not parse SQL.
// TestStatementsAreScopedToAnOrganisation (package app/chaos) runs statements under row-level
// security. Production does without, because row-level security slows every request down.
// Reconsider this once programs without the guard share the serving role.
package tenant
