package games

import (
	"bytes"
	"slices"
)

// skills is the catalogue, in the order of the specification (game.SkillId). Plays store a skill by
// its index, so new skills must be appended, up to SkillSpace.
var skills = [...]string{
	"prompting.context", "prompting.constraints", "prompting.examples",
	"data.quality.duplicates", "data.quality.missing", "data.quality.formats",
	"data.quality.outliers",
	"ai.critical.hallucination", "ai.critical.bias", "ai.critical.verification",
	"ai.usage.good-fit", "ai.usage.personal-data", "ai.usage.accountability",
	"ai.usage.human-review", "ai.usage.right-tool",
	"data.leadership.incident", "data.leadership.privacy", "data.leadership.quality",
	"data.leadership.value",
	"data.leadership.culture", "data.leadership.ai-adoption",
	"ai.agents.data-access", "ai.agents.tool-permissions", "ai.agents.untrusted-content",
	"ai.agents.efficiency",
	"data.reading.charts", "data.reading.causation", "data.reading.sampling",
	"data.reading.averages", "data.reading.proportions",
}

// SkillCount is the size of the catalogue. Arrays indexed by a stored skill have the length
// SkillSpace: a newer program on the same database may have stored skills that this one lacks.
const (
	SkillCount = len(skills)
	SkillSpace = 128
)

// SkillIDs returns the identifiers of the catalogue in the order of their indexes.
func SkillIDs() []string { return append([]string(nil), skills[:]...) }

// Skill is an index into the catalogue: 0 to SkillCount-1, or below SkillSpace in a stored answer.
type Skill uint8

// SkillByID returns the skill with the identifier, such as data.quality.formats.
func SkillByID(id string) (s Skill, ok bool) {
	i := slices.Index(skills[:], id)
	return Skill(i), i >= 0
}

// ID returns the skill's identifier, such as data.quality.formats. It panics if s is SkillCount or
// above.
func (s Skill) ID() string { return skills[s] }

// SkillResult counts a play's answers to one skill: Attempts (1 to 100), of which Correct were right.
type SkillResult struct {
	Skill             Skill
	Attempts, Correct int
}

// PackAnswers returns the stored form of a play's answers: a byte skill<<1|correct for each answer,
// ordered by skill, correct answers first. Equal results give equal bytes, which imports compare.
// The caller has checked that each skill occurs once and that the counts are within bounds.
func PackAnswers(results []SkillResult) []byte {
	var bySkill [SkillCount]SkillResult
	n := 0
	for _, r := range results {
		bySkill[r.Skill] = r
		n += r.Attempts
	}
	packed := make([]byte, 0, n)
	for s, r := range bySkill {
		packed = append(packed, bytes.Repeat([]byte{byte(s)<<1 | 1}, r.Correct)...)
		packed = append(packed, bytes.Repeat([]byte{byte(s) << 1}, r.Attempts-r.Correct)...)
	}
	return packed
}

// Answer is one stored answer: a byte of PackAnswers.
type Answer byte

// Skill returns the skill of the answer, which may be SkillCount or above (see SkillSpace).
func (a Answer) Skill() Skill { return Skill(a >> 1) }

// Correct reports whether the answer was right.
func (a Answer) Correct() bool { return a&1 == 1 }
