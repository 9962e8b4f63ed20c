package demo

// The first organisation, and its owner: the first of Accounts.
const (
	organisationID = "236f0db3-d58c-4b1e-8592-7f32fa68a7db"
	ownerID        = "67749781-09ab-4d07-b590-8b89f7427111"
	ownerName      = "Maren Solheim"
)

// Account is a person of the demo who can sign in.
type Account struct {
	Organisation    string
	Email, Password string
	Role            string // owner, admin or member
	TOTPSecret      string // empty: no two-step verification
}

const (
	harbour = "Harbour & Vale Logistics"
	atelier = "Atelier <North & Light>"
)

// Accounts are the people of organisations.ndjson, with their passwords.
var Accounts = []Account{
	{harbour, "maren@harbour.example.com", "owner-of-harbour", "owner", ""},
	{
		harbour, "tomas@harbour.example.com", "admin-with-two-steps", "admin",
		"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
	},
	{harbour, "claire@harbour.example.com", "admin-without-second-step", "admin", ""},
	{harbour, "ilya@harbour.example.com", "member-of-harbour", "member", ""},
	{
		atelier, "noor@atelier.example.org", "owner-of-atelier", "owner",
		"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
	},
}
