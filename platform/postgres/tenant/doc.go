// Package tenant makes gorm refuse statements that are not on one organisation.
//
// A statement of gorm's builder on an organisation's table has the scope Scope, which adds the
// condition. Raw and Exec take the organisation as an argument. The guard refuses any other
// statement, unless Across marks it as an exception. It looks at a statement's structure and does
// not parse SQL: TestStatementsAreScopedToAnOrganisation (package app/system) proves each statement
// under row-level security. Production runs without row-level security, because it costs 7 to 21%
// of a request. Reconsider this once programs without the guard share the serving role.
package tenant
