package main

import (
	"context"
	"fmt"
)

// measureStatistics compares statistics of all players with one query that reads their plays.
func measureStatistics(ctx context.Context, b *bench) error {
	mainData := &b.data.Main
	c := b.newClient(mainData)
	measure := func(days int, maxRatio float64) error {
		title := fmt.Sprintf("statistics, %d days; group by player", days)
		return b.compare(ctx, title, maxRatio, timedWork(5, c.getFunc(b.path("stats", mainData, days))),
			timedWork(1, b.queryFunc(days, `select player, count(*), max(score), max(started_at),
				bool_or(passed) from plays where `+forkPeriodCondition+` group by player`)))
	}
	if err := measure(366, 0.1); err != nil {
		return err
	}
	return measure(30, 0.5)
}

// measureGroups compares a large group with all players, and a small group with one scan of its plays.
func measureGroups(ctx context.Context, b *bench) error {
	mainData := &b.data.Main
	c := b.newClient(mainData)
	allPlayersPath := b.path("stats", mainData, 366)
	smallGroupPath := allPlayersPath + "&groupId=" + mainData.IDs.Groups[0].String()
	largeGroupPath := allPlayersPath + "&groupId=" + mainData.IDs.Groups[1].String()
	err := b.compare(ctx, fmt.Sprintf("group of %d, 366 days; all players", mainData.Size.Groups[1]), 0.7,
		timedWork(5, c.getFunc(largeGroupPath)), timedWork(5, c.getFunc(allPlayersPath)))
	if err != nil {
		return err
	}
	onePass := b.queryFunc(366, `select started_at, player, score, passed, answers from plays
		where `+forkPeriodCondition+` and player = any (array(select player from group_members
		where org_id = $1 and group_id = $5))`, mainData.IDs.Groups[0])
	return b.compare(ctx, fmt.Sprintf("group of %d, 366 days; one pass over its plays", smallGroup),
		1.5, timedWork(20, c.getFunc(smallGroupPath)), timedWork(20, onePass))
}

const forkPeriodCondition = `org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`

// queryFunc returns a function that runs a query on the main fork. It reads all rows but decodes none.
func (b *bench) queryFunc(days int, sql string, extraArgs ...any) func(context.Context) error {
	from, end := b.period(days)
	args := append([]any{b.data.Main.IDs.Organisation, b.data.Main.IDs.Fork, from, end}, extraArgs...)
	return func(ctx context.Context) error {
		rows, err := b.owner.Query(ctx, "/* bench */ "+sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			rows.RawValues()
		}
		return rows.Err()
	}
}
