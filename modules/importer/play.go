package importer

import (
	"strconv"

	"dg/modules/games"
	"dg/platform/input"
)

const (
	expectedStart    = "a time in the years 2000 to 2199 UTC"
	expectedScore    = "a number from 0 to 100 with at most two decimals"
	expectedLater    = "a time not before startedAt"
	expectedNothing  = "nothing in a play without completedAt"
	expectedSkill    = "a skill of the catalogue, such as data.reading.charts"
	expectedAttempts = "a whole number from 1 to 100"
	expectedCorrect  = "a whole number from 0 to attempts"
	expectedResult   = "an object of skillId, attempts and correct"
)

func (d *decoder) play(o *object) {
	o.noun = "play"
	object := games.ImportedPlay{
		ID: o.uuid("id"), Fork: o.uuid("forkId"), Player: o.uuid("playerId"),
		ReleaseNumber: o.optionalWhole("releaseNumber"), StartedAt: o.time("startedAt"),
	}
	if !o.wrong && !input.InYears(object.StartedAt) { // no report could show it
		v, _ := o.find("startedAt")
		o.fail("startedAt", expectedStart, v.show())
	}
	if _, object.Finished = o.find("completedAt"); object.Finished {
		object.CompletedAt = o.time("completedAt")
		object.Score = int16(o.number("scorePercent", expectedScore, 2, 0, 100_00))
		object.Passed = o.bool("passed")
		if !o.wrong && object.CompletedAt.Before(object.StartedAt) {
			v, _ := o.find("completedAt")
			o.fail("completedAt", expectedLater, v.show())
		}
	} else {
		for _, name := range []string{"scorePercent", "passed"} {
			if v, ok := o.find(name); ok {
				o.fail(name, expectedNothing, v.show())
			}
		}
	}
	if v, ok := o.required("skills", expectedArray, isArray); ok {
		d.skills(v)
	}
	if o.ok() {
		object.Answers = games.PackAnswers(d.results)
		d.games.Play(d.number, &object)
	}
}

// skills reads a play's skills into d.results.
func (d *decoder) skills(array value) {
	d.results = d.results[:0]
	var seen [games.SkillCount]bool
	c := cursor{b: array.raw}
	n := 0
	_ = c.elements(func(v value) error { // read once before: no error
		field := "skills[" + strconv.Itoa(n) + "]"
		n++
		if v.kind != isObject {
			d.object.fail(field, expectedResult, v.show())
			return nil
		}
		r, ok := d.skillResult(field+".", v)
		if ok && seen[r.Skill] {
			d.object.fail(field+".skillId", "each skill once", quote(r.Skill.ID()))
		}
		if ok {
			seen[r.Skill] = true
			d.results = append(d.results, r)
		}
		return nil
	})
}

func (d *decoder) skillResult(prefix string, v value) (games.SkillResult, bool) {
	o := &d.skill
	o.prefix = prefix
	if err := o.read(&cursor{b: v.raw}); err != nil {
		o.fail("skillId", expectedResult, err.Error())
	}
	var r games.SkillResult
	if id, ok := o.required("skillId", expectedSkill, isString); ok {
		if r.Skill, ok = games.SkillByID(string(id.bytes())); !ok {
			o.fail("skillId", expectedSkill, id.show())
		}
	}
	r.Attempts = int(o.number("attempts", expectedAttempts, 0, 1, games.MaxAttempts))
	most := int64(games.MaxAttempts)
	if !o.wrong {
		most = int64(r.Attempts)
	}
	r.Correct = int(o.number("correct", expectedCorrect, 0, 0, most))
	if !o.ok() {
		d.object.wrong = true
		return r, false
	}
	return r, true
}
