package main

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
)

// acrossTenants are the statements that name no organisation, by their tag or place, and why.
var acrossTenants = map[string]string{
	"apikeys.authenticate": "finds the key of a request by its id, and with it the organisation (decisions.md, Data)",
	"apikeys.recordUsage":  "the program itself stores counts, for the keys of all organisations; each row is joined by its organisation",

	"audit.takeBursts": "the program itself records bursts, for all organisations",

	"reports.playsOfForks": "counts the plays of the organisation's own forks, by the index of forks",
	"reports.sealedForks":  "the sealer works for all organisations",
	"reports.markAll":      "as reports.sealedForks",
	"reports.status":       "as reports.sealedForks, for the operator",

	"org.import_organisations.lock":   "as org.import_organisations.update",
	"org.import_organisations.update": "an import writes whatever organisations its file names",
	"org.import_organisations.insert": "an import",
	"org.import_memberships.update":   "an import",
	"org.import_memberships.insert":   "an import",
	"org.import_players.update":       "an import",
	"org.import_players.insert":       "an import",
	"org.import_groups":               "an import",
	"modules/org.unknownGroupPlayers": "a rule of an import",
	"modules/org.foreignGroupPlayers": "a rule of an import",
	"games.import_forks.update":       "an import",
	"games.import_forks.insert":       "an import",
	"games.import_plays.update":       "an import",
	"games.import_plays.insert":       "an import",
	"modules/games.foreignPlayers":    "a rule of an import",

	"app.loadDemo":  "looks whether there is any organisation",
	"app.contents":  "as app.loadDemo",
	"app.demoOwner": "finds an owner for the demo's key",

	"modules/org.writePlayers": "an error's text",

	"web.recipes/plays.duckdb.sql": "a recipe of /docs, for the reader's own tool",
}

// acrossFunctions are the functions whose statements by gorm name no organisation. Each says the reason to postgres.AcrossTenants.
var acrossFunctions = []string{
	"modules/audit.var", "modules/games.ForkOwner", "modules/org.GroupOwner", "modules/org.OrganisationsOf", "modules/org.membershipsOf",
	"modules/org.AllIDs", "modules/org.playerOwner",
}

// unscopedTexts returns the organisations' tables of texts that name no organisation, by the texts' names.
func unscopedTexts(texts []programText) map[string]string {
	found := map[string]string{}
	for _, text := range texts {
		if table := postgres.UnscopedTable(text.text); table != "" {
			found[text.name] = table
		}
	}
	return found
}

// decisions.md, Data: every statement of the program names the organisation, but those that the lists above name.
func TestEveryStatementNamesTheOrganisation(t *testing.T) {
	t.Parallel()
	texts, across := programTexts(t)
	require.Greater(t, len(texts), 1000, "the program's texts were not found")
	found := unscopedTexts(texts)
	for name, table := range found {
		require.Contains(t, acrossTenants, name, "a statement on %s names no organisation", table)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(found)), slices.Collect(maps.Keys(acrossTenants)), "remove what no longer needs an exception")
	require.ElementsMatch(t, acrossFunctions, across)
}

// Planted statements prove that the test above can fail. (A planted one of gorm is in platform/postgres.)
func TestPlantedStatementsAreFound(t *testing.T) {
	t.Parallel()
	const planted = `package planted
		const columns = "id, slug"
		const bySlug = " from forks where slug = $1"
		var deleted = "/* planted.variable */ delete from plays where id = $1"
		func f(query func(string, ...any), column string) {
			query("/* planted.call */ select " + columns + " from forks where id = $1", 1)
			query("/* planted.part */ select " + column + " from audit_entries where id = $1", 1)
			query("select " + column + bySlug)
			query("/* planted.scoped */ select " + columns + " from forks where org_id = $1", 1)
		}`
	files := token.NewFileSet()
	source, err := goparser.ParseFile(files, "planted.go", planted, 0)
	require.NoError(t, err)
	r := &textReader{pkg: "planted"}
	r.read(t, files, nil, []*ast.File{source})
	require.Equal(t, map[string]string{
		"planted.variable": "plays", "planted.call": "forks", "planted.f": "audit_entries", "planted.bySlug": "forks",
	}, unscopedTexts(r.texts))
}
