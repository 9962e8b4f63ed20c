// Package migrations holds the schema: plain SQL files, one for each module's tables, applied in
// the order of their names, and grants.sql, what the serving role may do.
//
// A file that has been released is never edited; a change is a new file. One that older programs
// cannot work with raises schema_minimum. What a table's rights are is said in grants.sql, for each
// table by its name.
package migrations

import "embed"

// FS holds the migrations and grants.sql.
//
//go:embed *.sql
var FS embed.FS
