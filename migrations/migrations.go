// Package migrations embeds the schema: a SQL file for each module's tables, and files that link or
// change them. Each postgres.Migrate applies the serving role's rights in grants/ again.
//
// Files are numbered from 1. A released file is never edited; a change is a new file.
package migrations

import "embed"

// FS has all of dg's migrations and grants.
//
//go:embed *.sql grants/*.sql
var FS embed.FS

// API is the part of FS for a host program with its own organisations and players.
//
//go:embed 2_games.sql 3_audit.sql 4_apikeys.sql 5_reports.sql 8_locked_days.sql 9_counted_refusals.sql
//go:embed 10_fork_versions.sql 11_unchanged.sql 14_month_blocks.sql 15_replica_identity.sql 16_search_path.sql
//go:embed grants/schema.sql grants/games.sql grants/audit.sql grants/apikeys.sql grants/reports.sql
var API embed.FS

// TenantColumns maps each table with rows of organisations to the column of the organisation's id.
var TenantColumns = map[string]string{
	"organisations":   "id",
	"memberships":     "org_id",
	"players":         "org_id",
	"player_ordinals": "org_id",
	"player_groups":   "org_id",
	"group_members":   "org_id",
	"forks":           "org_id",
	"plays":           "org_id",
	"audit_entries":   "org_id",
	"audit_refusals":  "org_id",
	"api_keys":        "org_id",
	"api_key_usage":   "org_id",
	"fork_days":       "org_id",
	"fork_months":     "org_id",
}
