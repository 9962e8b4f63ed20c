package tenant_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/migrations"
	"dg/platform/testkit/pgtest"
)

// withoutOrganisation are the other tables, and why their statements name no organisation.
var withoutOrganisation = map[string]string{
	"users":            "a person may belong to several organisations",
	"sessions":         "of a person",
	"recovery_codes":   "of a person",
	"account_resets":   "of a person",
	"password_guesses": "of an e-mail or an address",
	"secret_key_check": "of the secret key",
	"games":            "of all organisations",
	"api_key_windows":  "instants of a key's requests, by the key's id, which authentication has found",
	"unsealed_days": "days of forks and nothing else: a day is marked and cleaned after a " +
		"report of the organisation found its fork",
	"unsealed_months":    "as unsealed_days",
	"dg_schema_versions": "of the migrations",
}

// The guard's tables are those of the migrated database that have an organisation; every other
// table says why it has none.
func TestGuardedTablesAreThoseOfTheDatabase(t *testing.T) {
	rows, err := pgtest.New(t).
		Owner.Pool.Query(t.Context(),
		`select t.table_name, exists (select from information_schema.columns c
		where (c.table_schema, c.table_name, c.column_name) = (t.table_schema, t.table_name, 'org_id'))
		from information_schema.tables t where t.table_schema = 'public'`)
	require.NoError(t, err)
	owned := map[string]string{"organisations": "id"}
	others := []string{}
	var name string
	var hasOrganisation bool
	_, err = pgx.ForEachRow(rows, []any{&name, &hasOrganisation}, func() error {
		if hasOrganisation {
			owned[name] = "org_id"
		} else if name != "organisations" {
			others = append(others, name)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, owned, migrations.TenantColumns)
	require.ElementsMatch(t, slices.Collect(maps.Keys(withoutOrganisation)), others)
}
