package system

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// rules.md, Audit log: the operator creates an organisation, changes its plan and its members by
// slug and e-mail. Each change leaves one entry, a refused command none.
func TestOrganisationAndMemberCommands(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	dg := func(line string, more ...string) string {
		return apptest.Succeeds(t, dir, append(strings.Fields(line), more...)...)
	}
	refused := func(says, line string, more ...string) {
		apptest.Refuses(t, says, dir, append(strings.Fields(line), more...)...)
	}
	require.Contains(t, dg("organisation list"), "no organisations")

	out := dg("organisation create --slug cafe-no-1-sohne --owner-email Ann@example.org --base-url", c.URL,
		"--name", "Café Nº 1 & Söhne")
	require.Contains(t, out, c.URL+"/o/cafe-no-1-sohne")
	link := apptest.ResetLink.FindStringSubmatch(out)
	require.NotNil(t, link, out)
	first := c.Fetch(link[2], "")
	require.Contains(t, first, "Ann@example.org")
	require.NotContains(t, first, "ends all your sessions", "there are none")
	refused("already has the slug", "organisation create --slug cafe-no-1-sohne --owner-email x@example.org --name",
		"cafe no 1 sohne")
	refused("not an e-mail", "organisation create --slug other --owner-email x --name Other")
	refused("not a slug", "organisation create --owner-email a@b.example --slug A/B --name Other")
	require.Equal(t, 1, apptest.Tables(t, d)["users"], "a refused command stores nobody")

	dg("organisation plan cafe-no-1-sohne enterprise")
	dg("organisation plan cafe-no-1-sohne enterprise")
	refused("No such organisation", "organisation plan other pro")
	require.Regexp(t, `(?m)^cafe-no-1-sohne +enterprise +pseudonymous +[0-9a-f-]{36} +Café Nº 1 & Söhne$`,
		dg("organisation list"))

	refused("leaves cafe-no-1-sohne without an owner", "member remove cafe-no-1-sohne ann@example.org")
	refused("leaves cafe-no-1-sohne without an owner",
		"member role cafe-no-1-sohne ann@example.org member")
	added := dg("member add cafe-no-1-sohne ben@example.org --name Ben")
	require.Regexp(t, `Link for Ben \(ben@example.org\), valid(.|\n)*account/reset`, added)
	require.NotContains(t, added, "two-step", "a brand-new person has none")
	refused("is a member already", "member add cafe-no-1-sohne BEN@example.org")
	refused("No account has the e-mail", "member role cafe-no-1-sohne nobody@example.org owner")
	dg("member role cafe-no-1-sohne Ben@example.org owner")
	dg("member remove cafe-no-1-sohne ann@example.org")
	refused("is not a member", "member remove cafe-no-1-sohne ann@example.org")

	entries := testkit.One[[]string](d, `select array_agg(concat_ws(' ', actor_kind, action,
		target_kind, path, details) order by at, id) from audit_entries
		where action in ('organisation.created', 'plan.changed', 'role.changed')`)
	require.ElementsMatch(t, []string{
		`operator organisation.created organisation dg organisation create {"plan": "pro"}`,
		`operator role.changed person dg organisation create {"to": "owner", "from": "none", "name": "Ann@example.org"}`,
		`operator plan.changed organisation dg organisation plan {"to": "enterprise", "from": "pro"}`,
		`operator role.changed person dg member add {"to": "member", "from": "none", "name": "Ben"}`,
		`operator role.changed person dg member role {"to": "owner", "from": "member", "name": "Ben"}`,
		`operator role.changed person dg member remove {"to": "none", "from": "owner", "name": "Ann@example.org"}`,
	}, entries)

	// A person with a password gets no link: its use would turn two-step verification off.
	d.Exec(`update users set password_hash = 'set' where email_key = 'ben@example.org'`)
	out = dg("organisation create --slug two --owner-email ben@example.org --name Two --plan free")
	require.NotContains(t, out, "token=")
	require.Contains(t, out, "ben@example.org has a password")
}
