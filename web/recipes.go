package web

import (
	"embed"
	"html/template"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Recipes are real files: the tests run what the page shows. Those in start/ are the first requests of /docs.
//
//go:embed recipes
var recipeFiles embed.FS

// recipe is a program to copy.
type recipe struct {
	ID, Name, File string
	Purpose        string          // in the list of /docs
	Steps          []template.HTML // from nothing to a result
	Untested       string          // what no test runs, or ""
}

const exportKey = `In a terminal, run <code>read -rs DG_KEY &amp;&amp; export DG_KEY</code> and paste your key. It is not shown.`

var recipes = []recipe{
	{ID: "curl", Name: "curl", File: "plays.sh", Purpose: "Saves plays.csv. DuckDB and PostgreSQL load it.",
		Steps: []template.HTML{exportKey, `Save the script as <code>plays.sh</code>.`, `<code>bash plays.sh</code> writes <code>plays.csv</code>. macOS: install coreutils and replace <code>date</code> by <code>gdate</code>.`}},
	{ID: "python", Name: "Python", File: "plays.py", Purpose: "A typed table of pandas.",
		Steps: []template.HTML{exportKey, `<code>pip install requests pandas</code>`, `Save the script as <code>plays.py</code>, or paste it into a notebook, and run it.`}},
	{ID: "r", Name: "R", File: "plays.R", Purpose: "A typed table of readr.",
		Steps: []template.HTML{exportKey, `In R: <code>install.packages(c("httr2", "readr"))</code>`, `Save the script as <code>plays.R</code> and run <code>Rscript plays.R</code>.`}},
	{ID: "duckdb", Name: "DuckDB", File: "plays.duckdb.sql", Purpose: "A typed table, and figures by skill.",
		Steps: []template.HTML{`Save <code>plays.csv</code> with the <a href="/docs/recipes/curl">curl recipe</a>.`, `Save the script as <code>plays.duckdb.sql</code> beside it.`, `<code>duckdb dg.db -f plays.duckdb.sql</code>`}},
	{ID: "javascript", Name: "JavaScript", File: "plays.mjs", Purpose: "Typed objects in Node, without packages.",
		Steps: []template.HTML{exportKey, `Save the script as <code>plays.mjs</code>.`, `<code>node plays.mjs</code>. Call the API from a server: browsers of other sites cannot.`}},
	{ID: "go", Name: "Go", File: "plays.go", Purpose: "Typed values, standard library only.",
		Steps: []template.HTML{exportKey, `Save the program as <code>plays.go</code>.`, `<code>go run plays.go</code>`}},
	{ID: "powershell", Name: "PowerShell", File: "plays.ps1", Purpose: "Typed objects, to pipe on.",
		Untested: "Our tests have no PowerShell: this recipe was read, not run.",
		Steps:    []template.HTML{`<code>$env:DG_KEY = Read-Host -MaskInput</code>, and paste your key.`, `Save the script as <code>plays.ps1</code>.`, `<code>./plays.ps1</code>`}},
	{ID: "power-bi", Name: "Power BI, Excel", File: "plays.pq", Purpose: "A typed table in Power Query.",
		Untested: "Our tests run this recipe in Node with stand-ins for Power Query’s functions. They have no Power BI or Excel.",
		Steps: []template.HTML{`Power BI: Transform data. Excel: Data, Get data, Launch Power Query editor.`, `Manage parameters, New: name <code>DG_KEY</code>, type Text, and your key as the current value.`,
			`New source, Blank query, Advanced editor: replace everything by the recipe.`, `Asked for credentials, choose Anonymous: the recipe sends the key itself. Then Close &amp; apply.`}},
	{ID: "google-sheets", Name: "Google Sheets", File: "plays.gs", Purpose: "A sheet that a trigger refreshes.",
		Untested: "Our tests run this recipe in Node with stand-ins for Google’s services.",
		Steps: []template.HTML{`In your sheet: Extensions, Apps Script. Replace everything by the recipe and save.`, `Project settings, Script properties: add <code>DG_KEY</code> with your key.`,
			`Choose <code>refresh</code> and Run, and allow access.`, `Triggers, Add trigger: <code>refresh</code>, time-driven, daily.`}},
	{ID: "grafana", Name: "Grafana", File: "plays.grafana.json", Purpose: "A dashboard with the Infinity plugin.",
		Untested: "Our tests send the requests of this dashboard and check its columns. They have no Grafana to show it in.",
		Steps: []template.HTML{`Install the Infinity data source. In it: Authentication, Bearer token, your key; Allowed hosts: the address of this service.`, `Dashboards, New, Import: paste the recipe and choose the data source in both panels.`,
			`A panel is a request. Infinity neither waits for <code>Retry-After</code> nor cuts periods: keep the refresh at an hour or more, and the time range within 366 days.`,
			`For one group, add the parameter <code>groupId</code> to both panels. A panel says when the group is hidden.`}},
	{ID: "postgresql", Name: "PostgreSQL", File: "plays.psql", Purpose: "A typed table, loaded in one transaction.",
		Steps: []template.HTML{`Save <code>plays.csv</code> with the <a href="/docs/recipes/curl">curl recipe</a>.`, `Save the script as <code>plays.psql</code> beside it.`, `<code>psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f plays.psql</code>`}},
	{ID: "nightly-sync", Name: "Nightly sync", File: "sync.py", Purpose: "Every play of every fork in SQLite, night after night.",
		Steps: []template.HTML{`Save the script as <code>sync.py</code>, and your key in a file that only its user can read.`, `<code>DG_KEY_FILE=key.txt python3 sync.py</code>, from cron or a systemd timer, after midnight UTC.`,
			`Every night catches a new reporting mode, by reading everything again, and each change of the last 35 days: ` +
				`plays that arrive or complete late, players who are erased or renamed.`,
			`The first night of a week, from Sunday on, catches the changes of the last 366 days. ` +
				`The first night of a month catches all others since <code>START</code>. The next night makes up for a missed one.`,
			`To remove an erased player at once, empty the table <code>copies</code> and run the script: it reads everything again.`,
			`A night of 500 forks is 502 requests: between four and five minutes at 120 a minute, three exports at once. ` +
				`Reading everything is 500 requests for each year since <code>START</code>.`,
			`To replace the key, create the new one, write it into the file, and revoke the old one afterwards. ` +
				`A run that is under way takes the new one.`}},
}

// recipesView is the page of one recipe.
type recipesView struct {
	layout
	recipe
	Tabs []link
	Code command
	examples
}

// recipe answers GET /docs/recipes/:recipe.
func (h *Handler) recipe(c *fiber.Ctx, p *principal) error {
	view := recipesView{layout: newLayout(p, "Recipes", areaDocs), examples: h.examplesFor(c.UserContext(), p)}
	for _, r := range recipes {
		current := r.ID == c.Params("recipe")
		view.Tabs = append(view.Tabs, link{Name: r.Name, Path: view.Docs("/recipes/" + r.ID), Current: current})
		if current {
			view.recipe = r
		}
	}
	if view.ID == "" {
		return fiber.ErrNotFound
	}
	view.Title = "Recipe: " + view.Name
	text, err := recipeFiles.ReadFile("recipes/" + view.File)
	view.Code = command{ID: "recipe", Label: view.File, Text: view.fill(text)}
	if err != nil {
		return err
	}
	return h.render(c, fiber.StatusOK, "recipe", &view)
}

// language is a tab of the first requests in /docs.
type language struct{ ID, Name, extension string }

var languages = []language{{"curl", "curl", ".sh"}, {"python", "Python", ".py"}, {"javascript", "JavaScript", ".mjs"}, {"r", "R", ".R"}}

// startStep is a first request in each language, with its answer.
type startStep struct {
	ID, Title string
	Commands  []command
	Answer    *command
}

// command is a text to copy.
type command struct{ ID, Label, Language, Text string }

// startSteps returns the first requests, with the answers of the document's examples.
func (h *Handler) startSteps(e examples) ([]startStep, error) {
	steps := []startStep{{ID: "forks", Title: "List your forks"}, {ID: "stats", Title: "Read the statistics of a fork"}, {ID: "csv", Title: "Save its plays as CSV"}}
	for i, operation := range []string{"listForks", "getForkStats", "exportForkPlaysCsv"} {
		step := &steps[i]
		for _, l := range languages {
			text, err := recipeFiles.ReadFile("recipes/start/" + step.ID + l.extension)
			if err != nil {
				return nil, err
			}
			step.Commands = append(step.Commands, command{ID: step.ID + "-" + l.ID, Label: step.Title + ", " + l.Name, Language: l.ID, Text: e.fill(text)})
		}
		if answers := h.reference.examplesOf(operation); len(answers) > 0 {
			step.Answer = &command{ID: step.ID + "-answer", Label: step.Title + ", sample answer", Text: answers[0].Text}
		}
	}
	return steps, nil
}

// fill puts the reader's fork, group, period and the address of this service into an example.
func (e examples) fill(text []byte) string {
	return strings.NewReplacer("https://dg.example.org", e.base, exampleFork, e.ForkID, exampleGroup, e.GroupID,
		"2024-01-01", e.from, "2026-03-01", e.recent, "2026-03-31", e.to).Replace(strings.TrimSuffix(string(text), "\n"))
}
