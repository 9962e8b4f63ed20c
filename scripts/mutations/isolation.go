package main

// isolation breaks the isolation of organisations: the rule is the wall that a caller then meets.
var isolation = []mutation{
	{
		name: "SQL: forks of every organisation", rule: "policy",
		file: "modules/games/store.go", pkg: "app/chaos", tests: "TestStatementsAreScoped",
		old: `tenant.Scope(organisationID)`, mutated: `tenant.Across("mutation")`,
	},
	{
		name: "policy: every organisation's resources", rule: "policy, SQL",
		file: "configs/authz_model.conf", pkg: "platform/authz", tests: "TestEachGrant",
		old: ` && r.org == r.owner`, mutated: ``,
	},
	{
		name: "cache: forks under no organisation", rule: "cache, policy",
		file: "modules/publicapi/fork_cache.go", pkg: "modules/publicapi", tests: "TestForkCache",
		old:     `return versionKey{caller.OrganisationID, caller.OrganisationVersion}`,
		mutated: `return versionKey{version: caller.OrganisationVersion}`,
	},
	{
		name: "cursor: an entry of another log", rule: "SQL",
		file: "modules/audit/store_list.go", pkg: "modules/audit",
		tests:   "TestEntryOfAnotherLogIsNoCursor",
		old:     `l.entries(ctx, organisationID, "audit.cursor")`,
		mutated: `l.db.Gorm.WithContext(ctx).Scopes(tenant.Across("mutation")).Model(&entryRow{})`,
	},
	{
		name: "slug: any member's organisation", rule: "SQL",
		file: "modules/org/store_membership.go", pkg: "modules/org", tests: "Membership",
		old:     `InnerJoins("Organisation").Where("user_id = ?", personID)`,
		mutated: `InnerJoins("Organisation")`,
	},
	{
		name: "export: any organisation's fork", rule: "SQL",
		file: "modules/publicapi/access.go", pkg: "modules/publicapi",
		tests:   "TestEachCheckRefuses",
		old:     "\t\terr = a.Policy.Authorize(caller.Subject(), permission, owner)",
		mutated: "\t\t_, err = owner, a.policy.Authorize(caller.Subject(), permission, caller.OrganisationID)",
	},
	{
		name: "group: another organisation's", rule: "policy",
		file: "modules/reports/snapshot/metadata.go", pkg: "modules/reports",
		tests:   "TestOwnerIsKnown",
		old:     `h.GroupOwner != "" && h.GroupOwner != organisationID`,
		mutated: `h.GroupOwner == "-"`,
	},
	{
		name: "audit: entries of every log", rule: "SQL, policy",
		file: "modules/audit/store_list.go", pkg: "app/chaos", tests: "TestStatementsAreScoped",
		old:     `Scopes(postgres.Tag(tag), tenant.Scope(organisationID)).`,
		mutated: `Scopes(postgres.Tag(tag), tenant.Across("mutation")).`,
	},
	{
		name: "session: the organisation of a taken slug", rule: "policy",
		file: "web/ui/principal.go", pkg: "web/ui", tests: "TestRecheck",
		old: `OrganisationID: p.memberOf`, mutated: `OrganisationID: p.Organisation.ID`,
	},
	{
		name: "import: plays of another organisation's players", rule: "rules of imports",
		file: "modules/games/store_import.go", pkg: "modules/importer", tests: "TestInvalid",
		old: `where f.org_id <> p.org_id`, mutated: `where f.org_id is null`,
	},
	{
		name: "key: another organisation's", rule: "policy",
		file: "modules/apikeys/store.go", pkg: "app/chaos", tests: "TestStatementsAreScoped",
		old:     `tenant.Scope(organisationID)).Model(&keyRow{})`,
		mutated: `tenant.Across("mutation")).Model(&keyRow{})`,
	},
	{
		name: "usage: of another organisation's key", rule: "policy",
		file: "modules/apikeys/store_usage.go", pkg: "modules/apikeys",
		tests: "TestUsageOfOthersIsNotShown",
		old:   `tenant.Scope(organisationID)`, mutated: `tenant.Across("mutation")`,
	},
}
