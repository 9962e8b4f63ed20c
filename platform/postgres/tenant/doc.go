// Package tenant guards the statements of gorm: each is on one organisation.
//
// A statement of gorm's builder on an organisation's table has the scope Scope, which adds the
// condition. Raw and Exec take the organisation as an argument. A guard refuses any other statement
// by its structure, and Across marks the exceptions. The guard does not parse SQL:
// TestStatementsAreScopedToAnOrganisation (package app/system) proves each statement under
// row-level security. Production runs without row-level security, because it costs 7 to 21% of a
// request. Reconsider it once programs without this guard share the serving role.
package tenant
