package demo

// Account is a person of the demo who can sign in.
type Account struct {
	Organisation          string
	Name, Email, Password string
	Role                  string // owner, admin or member
	TOTPSecret            string // empty: no two-step verification
	passwordHash          string // fixed, so that the demo is the same each time
}

// Accounts are the people of the demo, to be printed when it is loaded.
var Accounts = []Account{
	{
		harbour.name, "Maren Solheim", "maren@harbour.example.com", "owner-of-harbour", "owner", "",
		"$argon2id$v=19$m=19456,t=2,p=1$qsd7QlYXgw28jMsxps2n/Q$" +
			"jiLJZ2GH+eoXBZJUeOx/UHlwbPjBlrvIlcvbW0En3T8",
	},
	{
		harbour.name, "Tomás Okafor", "tomas@harbour.example.com", "admin-with-two-steps", "admin",
		"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
		"$argon2id$v=19$m=19456,t=2,p=1$z34BAM6tCSBIP5u0xW2lJg$" +
			"TEYzHr/KALaJ/vKLrPpPpH6g5CBION+5FErl+KT76qA",
	},
	{
		harbour.name, "Claire Dubois", "claire@harbour.example.com", "admin-without-second-step",
		"admin", "",
		"$argon2id$v=19$m=19456,t=2,p=1$tcfkQcvrbJsGuiMs1DeLjA$" +
			"36acDEIYNkJGlXX9B/XvcazCtv7+27GLA/QjOpGSZCk",
	},
	{
		harbour.name, "Ilya Petrov", "ilya@harbour.example.com", "member-of-harbour", "member", "",
		"$argon2id$v=19$m=19456,t=2,p=1$qLDWtASjW02R5XeayIR5ZA$" +
			"PyHkAFSvXnnukUHspPDgPI8W8qn+koH6QJ0lr/48VTg",
	},
	{
		atelier.name, "Noor van Dijk", "noor@atelier.example.org", "owner-of-atelier", "owner",
		"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
		"$argon2id$v=19$m=19456,t=2,p=1$TW9edIp2GUHBjPtS0IGrKQ$" +
			"cElh4odiHfGGwZOHLquzgRgZhNuSqgSHrmZxuo57Z6s",
	},
}

// demoOrganisation is an organisation of the demo before it has ids.
type demoOrganisation struct {
	slug, name, plan, mode string
	players                int
	names                  []string // of the first players; the other names are random
	groups                 []demoGroup
	forks                  []demoFork
	daily                  float64 // plays on an ordinary working day
}

// demoGroup is a group. part names a second group of all members but four, or is "": the screens
// warn that the two reports differ by so few people.
type demoGroup struct {
	name    string
	members int
	part    string
}

// demoFork is a fork and when it lived, in days before today.
type demoFork struct {
	game                     int // in demoGames
	slug, title              string
	major                    int    // 0: 1
	status, visibility       string // empty: active, organization
	locale                   string // empty: en
	created                  int
	deployed                 int // before today; negative: never
	ended                    int // the last plays are from that day; 0: it is still played
	releases                 int
	suspended                bool
	configuration            string
	difficulty, weight       float64
	campaignEvery, campaigns int // days between the starts of campaigns, and how many there were
}

var harbour = demoOrganisation{
	slug: "harbour-and-vale", name: "Harbour & Vale Logistics", plan: "pro", mode: "pseudonymous",
	players: 200, daily: 22,
	groups: []demoGroup{{"Night shift, gate 4", 4, ""}, {"Data stewards", 5, ""},
		{"Warehouse leads", 40, "Warehouse leads, day shift"}},
	forks: []demoFork{
		{
			game: 0, slug: "prompting-at-the-dock", title: "Prompting at the Dock",
			major: 2, created: 745, deployed: 730, releases: 9, difficulty: 0.10, weight: 1.3,
			campaignEvery: 180, campaigns: 4,
			configuration: `{"theme":"dock","timeLimitSeconds":900,"hints":true}`,
		},
		{
			game: 1, slug: "data-detectives-warehouse", title: "Data Detectives: Warehouse Edition",
			visibility: "restricted",
			created:    700, deployed: 690, releases: 6, difficulty: 0.18, weight: 1,
			campaignEvery: 150, campaigns: 4,
			configuration: `{"theme":"warehouse","dataset":"returns-2025"}`,
		},
		{
			game: 2, slug: "agents-on-watch", title: "Agents on Watch",
			visibility: "public", suspended: true,
			created: 420, deployed: 400, ended: 24, releases: 5, difficulty: 0.22, weight: 1,
			campaignEvery: 190, campaigns: 2,
		},
		{
			game: 3, slug: "le-conseil-des-donnees", title: "Le conseil des données",
			major: 3, locale: "fr",
			created: 560, deployed: 545, releases: 4, difficulty: 0.15, weight: 0.5,
			campaignEvery: 240, campaigns: 2,
		},
		{
			game: 0, slug: "spring-onboarding", title: "Spring Onboarding",
			status:  "archived",
			created: 735, deployed: 725, ended: 330, releases: 3, difficulty: 0.05, weight: 0.8,
			campaignEvery: 200, campaigns: 2,
		},
		{
			game: 1, slug: "datenlotsen", title: "Datenlotsen",
			visibility: "restricted", locale: "de", created: 12, deployed: -1,
			configuration: `{"entwurf":true}`,
		},
	},
}

var atelier = demoOrganisation{
	slug: "atelier-north-light", name: "Atelier <North & Light>", plan: "enterprise", mode: "nominative",
	players: 48, daily: 5, names: hostileNames,
	groups: []demoGroup{{`Studio "B", floor 2`, 12, ""}, {"=Board", 4, ""}},
	forks: []demoFork{
		{
			game: 3, slug: "studio-council", title: `Studio "Council", 2nd edition; <em>draft</em>`,
			major: 2, locale: "pt",
			created: 640, deployed: 620, releases: 5, difficulty: 0.12, weight: 1,
			campaignEvery: 160, campaigns: 3,
		},
		{
			game: 2, slug: "agents-in-the-studio", title: "=Agents in the Studio",
			visibility: "restricted", locale: "es",
			created: 250, deployed: 240, releases: 3, difficulty: 0.2, weight: 0.7,
			campaignEvery: 120, campaigns: 2,
		},
	},
}
