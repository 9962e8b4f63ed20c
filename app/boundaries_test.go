package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayImport maps each part of the program, a package or a folder of packages, to the parts that it may import. "*"
// stands for all parts but app, app/commands, app/apptest and platform/testkit.
var mayImport = map[string]string{
	"app":          "app/commands",
	"app/commands": "* app/apptest", // only tests import apptest
	"app/apptest":  "app/assembly app/commands app/demo modules/reports/sealer platform platform/testkit",
	"app/assembly": "app/apptest platform web web/ui modules/publicapi modules/identity modules/apikeys " +
		"modules/games modules/reports modules/reports/sealer modules/reports/segment modules/exports modules/org " +
		"modules/audit", // only tests import apptest
	"scripts/bench":           "* platform/testkit", // testkit makes its data
	"scripts/contract":        "platform",
	"app/chaos":               "app/apptest", // has only tests, like app/system
	"app/system":              "app/apptest app/commands",
	"app/demo":                "platform modules/apikeys modules/audit modules/games modules/identity",
	"app/doctor":              "app/assembly app/demo migrations modules/identity platform",
	"configs":                 "",
	"migrations":              "",
	"modules/audit":           "platform",
	"modules/identity":        "platform modules/audit",
	"modules/org":             "platform modules/audit",
	"modules/games":           "platform",
	"modules/apikeys":         "platform modules/org modules/audit",
	"modules/reports":         "platform modules/games modules/org modules/reports/segment",
	"modules/reports/sealer":  "platform modules/reports/segment",
	"modules/reports/segment": "modules/games",
	"modules/exports":         "platform modules/reports modules/audit",
	"modules/publicapi": "platform modules/apikeys modules/games modules/reports modules/reports/sealer " +
		"modules/exports modules/org modules/audit app/apptest", // only tests import apptest
	"modules/importer": "platform modules/audit modules/identity modules/org modules/games",
	"platform":         "platform configs migrations",
	"platform/testkit": "platform platform/testkit migrations", // not part of "*", so its importers list it
	"web": "platform web/ui web/docs web/reports web/organisation web/keys web/auditlog web/account " +
		"modules/identity modules/apikeys modules/games modules/reports modules/exports modules/org modules/audit",
	"web/ui": "platform modules/identity modules/apikeys modules/games modules/reports modules/exports modules/org " +
		"modules/audit",
	"web/account":          "modules/identity platform web/ui",
	"web/auditlog":         "modules/apikeys modules/audit modules/exports platform web/ui",
	"web/keys":             "modules/apikeys modules/audit modules/org modules/reports platform web/ui",
	"web/organisation":     "modules/apikeys modules/audit modules/org platform web/ui",
	"web/docs":             "modules/apikeys modules/exports modules/games modules/org modules/reports platform web/ui",
	"web/reports":          "modules/apikeys modules/exports modules/games modules/org modules/reports platform web/ui",
	"web/internal/webtest": "* app/apptest platform/testkit", // webtest is a test kit
}

// partOf returns the part of a package in mayImport: its own path, or the nearest parent folder.
func partOf(pkg string) string {
	for part := pkg; part != "."; part = path.Dir(part) {
		if _, ok := mayImport[part]; ok {
			return part
		}
	}
	return pkg
}

// whyForbidden returns why mayImport does not allow an import, or "" if it does.
func whyForbidden(from, to string) string {
	part, target := partOf(from), partOf(to)
	listed, known := mayImport[part]
	allowed := strings.Fields(listed)
	switch {
	case from == to, slices.Contains(allowed, target):
		return ""
	case target == "app", target == "app/commands", target == "app/apptest",
		strings.HasPrefix(target, "app/") && !slices.Contains(allowed, "*"):
		return fmt.Sprintf("%s imports %s: only main.go and tests import app", from, to)
	case !known:
		return from + " is not in the table of who may import whom: add it"
	case slices.Contains(allowed, "*") && target != "platform/testkit":
		return ""
	}
	return fmt.Sprintf("%s imports %s, which the table does not allow", from, to)
}

// Each import of the program is allowed by mayImport, and these examples are not.
func TestModuleBoundaries(t *testing.T) {
	t.Parallel()
	for _, forbidden := range [][2]string{
		{"modules/audit", "modules/org"}, {"platform/httpserver", "modules/audit"}, {"modules/publicapi", "app"},
		{"modules/newcomer", "platform/apperr"}, {"modules/audit", "platform/testkit"}, {"app/commands", "app"},
		{"app/commands", "platform/testkit/pgtest"}, {"app", "app/apptest"}, {"scripts/bench", "app/commands"},
		{"web/keys", "web/reports"}, {"web/ui", "web/keys"},
	} {
		require.NotEmpty(t, whyForbidden(forbidden[0], forbidden[1]), "%v", forbidden)
	}
	out, err := exec.CommandContext(t.Context(), "go", "list",
		"-json=ImportPath,Imports,TestImports,XTestImports", "dg/...").Output()
	require.NoError(t, err)
	packages := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); packages++ {
		var pkg struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		require.NoError(t, dec.Decode(&pkg))
		// Of the imports of tests, only app/apptest and app/commands are checked, because they run the whole program.
		testImports := slices.DeleteFunc(slices.Concat(pkg.TestImports, pkg.XTestImports),
			func(to string) bool { return to != "dg/app/apptest" && to != "dg/app/commands" })
		for _, imported := range slices.Concat(pkg.Imports, testImports) {
			if to, own := strings.CutPrefix(imported, "dg/"); own {
				assert.Empty(t, whyForbidden(strings.TrimPrefix(pkg.ImportPath, "dg/"), to))
			}
		}
	}
	require.Greater(t, packages, 10, "the program's packages were not found")
}
