package browsertest

import (
	"encoding/json"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
)

// Spoken is something with a role and a name, as a screen reader announces it.
type Spoken struct{ Role, Name string }

// Spoken returns what the page has of the roles, in its order: image, table, region, …
func (p *Page) Spoken(roles ...string) []Spoken {
	p.t.Helper()
	tree := call(p, "read the accessibility tree", accessibility.GetFullAXTree,
		accessibility.GetFullAXTreeParams{})
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s) // other values are no names
		}
		return s
	}
	var all []Spoken
	for _, n := range tree.Nodes {
		if role := text(n.Role); !n.Ignored && slices.Contains(roles, role) {
			all = append(all, Spoken{role, text(n.Name)})
		}
	}
	return all
}
