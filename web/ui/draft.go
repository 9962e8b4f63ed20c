package ui

import (
	"encoding/base64"
	"encoding/json"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"dg/platform/input"
)

// draft is the text of a form that was sent after its session had ended. It waits in the browser
// until the person has signed in, and is then shown in the form again: nothing is sent on its own.
type draft struct {
	Person, Path string // whose form it is, and which
	Fields       url.Values
}

const (
	// DraftCookie holds the encrypted draft.
	DraftCookie = "__Host-dg-draft"
	maxDraft    = 3500    // bytes of the cookie: browsers drop those of more than 4096
	draftTTL    = 15 * 60 // in seconds: longer than the second step of a sign-in may take
)

// draftFields are the fields that a draft keeps, by the route of the form. Never passwords, codes
// or what confirms a change.
var draftFields = map[string][]string{
	"/o/:org/settings/api-keys/new": {
		"idempotencyKey", "name", "description", "scopes", "expiry", "day", "time",
	},
	"/o/:org/settings/api-keys/:key/rename":        {"name", "description"},
	"/o/:org/settings/api-keys/:key/replace":       {"idempotencyKey", "overlap"},
	"/o/:org/settings/organisation/reporting-mode": {"mode"},
}

// Drafts keeps drafts. Without an Encrypter, as for the sign-in of another program, it keeps none.
type Drafts struct{ Encrypter Encrypter }

// KeepDraft keeps the text of the sent form. The form names its person, so that no other person
// sees the draft.
func (d Drafts) KeepDraft(c *fiber.Ctx) {
	names := draftFields[c.Route().Path]
	person := FormValue(c, "person")
	if d.Encrypter == nil || len(names) == 0 || !input.IsID(person) {
		return
	}
	sent := draft{Person: person, Path: c.Path(), Fields: url.Values{}}
	for _, name := range names {
		for _, value := range c.Context().PostArgs().PeekMulti(name) {
			sent.Fields.Add(name, string(value))
		}
	}
	text, _ := json.Marshal(sent) // never fails: texts
	value := base64.RawURLEncoding.EncodeToString([]byte(d.Encrypter.EncryptText(person, string(text))))
	if len(value) > maxDraft {
		return
	}
	kept := HostCookie(DraftCookie, value)
	kept.SessionOnly = false
	kept.MaxAge = draftTTL
	c.Cookie(kept)
}

// TakeDraft reports whether there is a draft of this form by this person. Its fields are then those
// of the request, as if the form had been sent, and it is gone.
func (d Drafts) TakeDraft(c *fiber.Ctx, p *Principal) bool {
	encrypted, err := base64.RawURLEncoding.DecodeString(c.Cookies(DraftCookie))
	if err != nil || len(encrypted) == 0 || d.Encrypter == nil {
		return false
	}
	var kept draft
	text, err := d.Encrypter.DecryptText(p.Person.ID, string(encrypted))
	if err == nil {
		err = json.Unmarshal([]byte(text), &kept)
	}
	if err == nil && kept.Person == p.Person.ID && kept.Path != c.Path() {
		return false // of another form, which may still be opened
	}
	ClearCookie(c, DraftCookie)
	if err != nil || kept.Person != p.Person.ID {
		return false
	}
	for _, name := range draftFields[c.Route().Path] {
		for _, value := range kept.Fields[name] {
			c.Context().PostArgs().Add(name, value)
		}
	}
	return true
}
