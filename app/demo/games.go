package demo

import "slices"

// demoGame is a game and the skills that it trains; together the games train all.
type demoGame struct {
	slug, title string
	skills      []string
}

var demoGames = []demoGame{
	{"prompt-harbour", "Prompt Harbour", []string{
		"prompting.context", "prompting.constraints", "prompting.examples", "ai.usage.good-fit",
		"ai.usage.personal-data", "ai.usage.right-tool", "ai.critical.hallucination",
	}},
	{"data-detectives", "Data Detectives", []string{
		"data.quality.duplicates", "data.quality.missing", "data.quality.formats",
		"data.quality.outliers", "data.reading.charts", "data.reading.causation",
		"data.reading.sampling", "data.reading.averages", "data.reading.proportions",
	}},
	{"agents-on-watch", "Agents on Watch", []string{
		"ai.agents.data-access", "ai.agents.tool-permissions", "ai.agents.untrusted-content",
		"ai.agents.efficiency", "ai.critical.bias", "ai.critical.verification",
		"ai.usage.human-review",
	}},
	{"the-data-council", "The Data Council", []string{
		"data.leadership.incident", "data.leadership.privacy", "data.leadership.quality",
		"data.leadership.value", "data.leadership.culture", "data.leadership.ai-adoption",
		"ai.usage.accountability",
	}},
}

func allSkills() []string {
	var all []string
	for _, g := range demoGames {
		all = append(all, g.skills...)
	}
	slices.Sort(all)
	return all
}
