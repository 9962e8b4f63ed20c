// Package migrations holds the schema: SQL files, one for each module's tables, applied in the order
// of their names, and grants.sql, the rights of the serving role by table.
//
// A file that has been released is never edited; a change is a new file.
package migrations

import "embed"

// FS holds the migrations and grants.sql.
//
//go:embed *.sql
var FS embed.FS
