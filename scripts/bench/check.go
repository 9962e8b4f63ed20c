package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"dg/modules/games"
	"dg/platform/testkit/oracle"
)

// check compares the API's answers with the tests' oracle, to the byte, over periods that end in
// the unfinished day, lie before all plays or between, and over groups.
func (b *bench) check(ctx context.Context) error {
	b.report.progress("checking the figures")
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	plays, err := b.readMemory(ctx, b.last(b.main, setDays+1))
	if err != nil {
		return err
	}
	year := b.last(b.main, 366)
	before := b.last(b.main, 31)
	middle := b.last(b.main, 200)
	before.from = before.from.AddDate(-4, 0, 0)
	middle.from = year.from.AddDate(0, 0, 13)
	var queries []query
	for _, q := range []query{year, b.last(b.main, 30), b.last(b.main, 1), middle, before} {
		queries = append(queries, q, q.of(0), q.of(1))
	}
	for _, q := range queries {
		question, err := b.question(ctx, q, plays)
		if err != nil {
			return err
		}
		want, err := json.Marshal(question.Statistics(plays.each(question.Fork)))
		if err != nil {
			return err
		}
		if err := c.get(q.statsPath(), same(want)); err != nil {
			return err
		}
	}
	b.report.note(
		"before anything was timed, the answers to %d queries were equal to the oracle's figures "+
			"to the byte", len(queries),
	)
	return nil
}

// question is a query as the oracle takes it.
func (b *bench) question(ctx context.Context, q query, plays *memory) (oracle.Question, error) {
	asked := oracle.Question{
		Fork:   q.set.IDs.Forks[0].String(),
		From:   q.from,
		To:     q.end().AddDate(0, 0, -1),
		Mode:   "pseudonymous",
		Labels: plays.labels,
	}
	for i := range games.SkillCount {
		asked.Skills = append(asked.Skills, games.Skill(i).ID())
	}
	if q.group == "" {
		return asked, nil
	}
	asked.Members = map[int]bool{}
	var member int
	err := b.forEach(ctx,
		`/* bench.members */ select player from group_members where org_id = $1 and group_id = $2`,
		[]any{q.organisation(), q.group},
		[]any{&member}, func() { asked.Members[member] = true })
	return asked, err
}

// each returns the plays of a fork for the oracle, which must not keep their answers.
func (m *memory) each(fork string) iter.Seq[oracle.Play] {
	return func(yield func(oracle.Play) bool) {
		var p oracle.Play
		for i, at := range m.started {
			p = oracle.Play{
				Fork:    fork,
				Player:  int(m.player[i]),
				Started: time.UnixMilli(at).UTC(),
				Passed:  m.passed[i],
				Answers: p.Answers[:0],
			}
			if m.score[i] >= 0 {
				p.Completed = p.Started
				p.Score = int(m.score[i])
			}
			for _, a := range m.answers[m.ends[i]:m.ends[i+1]] {
				answer := games.Answer(a)
				correct := 0
				if answer.Correct() {
					correct = 1
				}
				p.Answers = append(p.Answers,
					oracle.Answered{Skill: answer.Skill().ID(), Attempts: 1, Correct: correct})
			}
			if !yield(p) {
				return
			}
		}
	}
}

// same compares an answer with a text.
func same(want []byte) func(body []byte) error {
	return func(body []byte) error {
		if bytes.Equal(want, body) {
			return nil
		}
		at := 0
		for at < min(len(want), len(body)) && want[at] == body[at] {
			at++
		}
		from := max(0, at-80)
		return fmt.Errorf("wrong figures at byte %d: …%s… instead of …%s…", at,
			body[from:min(len(body), at+80)], want[from:min(len(want), at+80)])
	}
}
