package importer

import (
	"strconv"
	"unicode/utf8"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"

	"github.com/google/uuid"
)

// types are the types of objects, in the order in which they refer to each other.
var types = []string{"organisation", "user", "membership", "game", "fork", "player", "group", "play"}

const expectedPlayers = "an array of UUIDs, each once"

// decoder checks lines by themselves and hands each object to its module.
type decoder struct {
	org      *org.Import
	identity *identity.Import
	games    *games.Import

	report  func(line int64, field, expected, got string)
	number  int64 // of the line
	object  object
	skill   object
	results []games.SkillResult
}

func newDecoder(o *org.Import, i *identity.Import, g *games.Import, report func(int64, string, string, string)) *decoder {
	d := &decoder{org: o, identity: i, games: g, report: report}
	d.object.report = func(field, expected, got string) { d.report(d.number, field, expected, got) }
	d.skill.report, d.skill.noun = d.object.report, "skill"
	return d
}

// line takes one line. What is wrong with it is reported; an error is not the file's fault.
func (d *decoder) line(number int64, line []byte) error {
	d.number = number
	c := cursor{b: line}
	if c.space(); c.i == len(line) {
		return nil
	}
	o := &d.object
	o.noun = "line"
	if syntax := d.readObject(&c, o); syntax != nil {
		o.fail("", syntax.Error()+" (a line is one JSON object in UTF-8)", "")
		return nil //nolint:nilerr // what is wrong with the line is reported
	}
	v, ok := o.required("type", expectedOneOf(types), isString)
	if !ok {
		return nil
	}
	switch string(v.bytes()) {
	case "play":
		d.play(o)
	case "player":
		return d.player(o)
	case "organisation":
		d.organisation(o)
	case "user":
		d.user(o)
	case "membership":
		d.membership(o)
	case "game":
		d.game(o)
	case "fork":
		d.fork(o)
	case "group":
		d.group(o)
	default:
		o.fail("type", expectedOneOf(types), v.show())
	}
	return nil
}

// readObject reads the one object of a line.
func (d *decoder) readObject(c *cursor, o *object) error {
	if !utf8.Valid(c.b) {
		return &syntaxError{invalidByte(c.b), "valid UTF-8"}
	}
	if err := o.read(c); err != nil {
		return err
	}
	if c.space(); c.i < len(c.b) {
		return c.fail("the line's end")
	}
	return nil
}

func invalidByte(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return len(b)
}

func (d *decoder) organisation(o *object) {
	o.noun = "organisation"
	object := org.ImportedOrganisation{
		ID: o.uuid("id"), Slug: o.text("slug"), Name: o.text("name"),
		Plan: org.Plan(o.oneOf("plan", string(org.PlanFree), string(org.PlanTeam), string(org.PlanPro),
			string(org.PlanEnterprise))),
		ReportingMode: org.ReportingMode(o.oneOf("reportingMode", string(org.Pseudonymous), string(org.Nominative))),
	}
	if o.ok() {
		d.org.Organisation(d.number, object)
	}
}

func (d *decoder) user(o *object) {
	o.noun = "user"
	object := identity.ImportedUser{
		ID: o.uuid("id"), Email: o.text("email"), Name: o.text("name"),
		PasswordHash: o.secret("passwordHash", identity.HashFormat, func(s string) (string, bool) {
			return s, identity.ValidHash(s)
		}),
		TOTPSecret: o.secret("totpSecret", identity.TOTPSecretFormat, identity.ParseTOTPSecret),
		Locale:     o.optionalText("locale"),
	}
	if o.ok() {
		d.identity.User(d.number, object)
	}
}

func (d *decoder) membership(o *object) {
	o.noun = "membership"
	object := org.ImportedMembership{
		Organisation: o.uuid("organisationId"), User: o.uuid("userId"),
		Role: org.Role(o.oneOf("role", string(org.RoleOwner), string(org.RoleAdmin), string(org.RoleMember))),
	}
	if o.ok() {
		d.org.Membership(d.number, object)
	}
}

func (d *decoder) game(o *object) {
	o.noun = "game"
	object := games.ImportedGame{ID: o.uuid("id"), Slug: o.text("slug"), Title: o.text("title")}
	if o.ok() {
		d.games.Game(d.number, object)
	}
}

func (d *decoder) fork(o *object) {
	o.noun = "fork"
	object := games.ImportedFork{
		ID: o.uuid("id"), Organisation: o.uuid("organisationId"), Game: o.uuid("gameId"),
		Slug: o.text("slug"), Title: o.text("title"), Major: o.whole("major"),
		Status:                o.oneOf("status", "active", "archived"),
		Visibility:            o.oneOf("visibility", "public", "organization", "restricted"),
		SourceLocale:          o.oneOf("sourceLocale", "en", "fr", "es", "pt", "de"),
		DeployedReleaseNumber: o.optionalWhole("deployedReleaseNumber"), Suspended: o.bool("suspended"),
		CreatedAt: o.time("createdAt"), UpdatedAt: o.time("updatedAt"),
	}
	if v, ok := o.optional("configuration", expectedObject, isObject); ok {
		if object.Configuration = v.raw; !validConfiguration(v.raw) {
			o.fail("configuration", expectedObject, "")
		}
	}
	if o.ok() {
		d.games.Fork(d.number, object)
	}
}

func (d *decoder) player(o *object) error {
	o.noun = "player"
	object := org.ImportedPlayer{
		ID: o.uuid("id"), Organisation: o.uuid("organisationId"), DisplayName: o.text("displayName"),
	}
	if o.ok() {
		return d.org.Player(d.number, object)
	}
	return nil
}

func (d *decoder) group(o *object) {
	o.noun = "group"
	object := org.ImportedGroup{ID: o.uuid("id"), Organisation: o.uuid("organisationId"), Name: o.text("name")}
	if v, ok := o.required("playerIds", expectedPlayers, isArray); ok {
		object.Players = d.playerIDs(o, v)
	}
	if o.ok() {
		d.org.Group(d.number, object)
	}
}

func (d *decoder) playerIDs(o *object, array value) []uuid.UUID {
	var ids []uuid.UUID
	seen := map[uuid.UUID]bool{}
	c := cursor{b: array.raw}
	_ = c.elements(func(v value) error { // read once before: no error
		field := "playerIds[" + strconv.Itoa(len(ids)) + "]"
		var id uuid.UUID
		ok := v.kind == isString
		if ok {
			id, ok = parseUUID(v.bytes())
		}
		switch {
		case !ok:
			o.fail(field, expectedUUID, v.show())
		case seen[id]:
			o.fail(field, "each player once", v.show())
		}
		seen[id] = true
		ids = append(ids, id)
		return nil
	})
	return ids
}
