package main

// isolation breaks the isolation of organisations: the rule is the wall that a caller then meets.
var isolation = []mutation{
	{
		name: "SQL: forks of every organisation", rule: "policy",
		file: "modules/games/store.go", old: `postgres.Tenant(organisationID)`,
		mutated: `postgres.AcrossTenants("mutation")`,
		pkg:     "app/assembly", tests: "TestQueriesFindNothingOfOthers",
	},
	{
		name: "policy: every organisation's resources", rule: "policy, SQL",
		file: "configs/authz_model.conf", old: ` && r.org == r.owner`,
		mutated: ``,
		pkg:     "platform/authz", tests: "TestEachGrant",
	},
	{
		name: "cache: forks under no organisation", rule: "cache, policy",
		file: "modules/publicapi/fork_cache.go", old: `return versionKey{caller.OrganisationID, caller.OrganisationVersion}`,
		mutated: `return versionKey{version: caller.OrganisationVersion}`,
		pkg:     "modules/publicapi", tests: "TestForkCache",
	},
	{
		name: "cursor: an entry of another log", rule: "SQL",
		file: "modules/audit/store_list.go", old: `l.entries(ctx, organisationID, "audit.cursor")`,
		mutated: `l.db.Gorm.WithContext(ctx).Scopes(postgres.AcrossTenants("mutation")).Model(&entryRow{})`,
		pkg:     "modules/audit", tests: "TestEntryOfAnotherLogIsNoCursor",
	},
	{
		name: "slug: any member's organisation", rule: "SQL",
		file: "modules/org/store_membership.go", old: `InnerJoins("Organisation").Where("user_id = ?", personID)`,
		mutated: `InnerJoins("Organisation")`,
		pkg:     "modules/org", tests: "Membership",
	},
	{
		name: "export: any organisation's fork", rule: "SQL",
		file: "modules/publicapi/access.go", old: "\t\terr = a.policy.Authorize(caller.Subject(), permission, owner)",
		mutated: "\t\t_, err = owner, a.policy.Authorize(caller.Subject(), permission, caller.OrganisationID)",
		pkg:     "modules/publicapi", tests: "TestCallsOfEachRequest",
	},
	{
		name: "group: another organisation's", rule: "SQL",
		file: "modules/reports/metadata.go", old: `left join player_groups g on g.org_id = o.id and g.id = $2`,
		mutated: `left join player_groups g on g.id = $2`,
		pkg:     "app/assembly", tests: "TestQueriesFindNothingOfOthers",
	},
	{
		name: "audit: entries of every log", rule: "SQL, policy",
		file: "modules/audit/store_list.go", old: `postgres.Tenant(organisationID)).Model(&entryRow{})`,
		mutated: `postgres.AcrossTenants("mutation")).Model(&entryRow{})`,
		pkg:     "app", tests: "TestStatementsAreScoped",
	},
	{
		name: "session: the organisation of a taken slug", rule: "policy",
		file: "web/ui/principal.go", old: `OrganisationID: p.memberOf`,
		mutated: `OrganisationID: p.Organisation.ID`,
		pkg:     "web", tests: "TestPolicyRefuses",
	},
	{
		name: "import: plays of another organisation's players", rule: "rules of imports",
		file: "modules/games/store_import.go", old: `where f.org_id <> p.org_id`,
		mutated: `where f.org_id is null`,
		pkg:     "modules/importer", tests: "TestInvalid",
	},
	{
		name: "key: another organisation's", rule: "policy",
		file: "modules/apikeys/store.go", old: `postgres.Tenant(organisationID)).Model(&keyRow{})`,
		mutated: `postgres.AcrossTenants("mutation")).Model(&keyRow{})`,
		pkg:     "app/assembly", tests: "TestQueriesFindNothingOfOthers",
	},
	{
		name: "usage: of another organisation's key", rule: "policy",
		file: "modules/apikeys/store_usage.go", old: `postgres.Tenant(organisationID)`,
		mutated: `postgres.AcrossTenants("mutation")`,
		pkg:     "modules/apikeys", tests: "TestUsageOfOthersIsNotShown",
	},
}
