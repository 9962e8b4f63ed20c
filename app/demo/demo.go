package demo

import (
	"cmp"
	"encoding/json"
	"io"
	"time"

	"github.com/google/uuid"
)

const day = 24 * time.Hour

// Seed is the seed of the demo that dg loads. It fixes the ids of games, forks, groups and players,
// which the examples of the API's document name.
const Seed = 2026

// Write writes the demo with plays up to now.
func Write(w io.Writer, seed uint64, now time.Time) error {
	d := &demo{file: newFile(w), random: newSeeded(seed), now: now.UTC().Truncate(time.Millisecond)}
	d.today = d.now.Truncate(day)
	if err := d.writeGames(); err != nil {
		return err
	}
	for _, o := range []demoOrganisation{harbour, atelier} {
		if err := d.writeOrganisation(o); err != nil {
			return err
		}
	}
	return d.file.out.Flush()
}

// demo holds the state of one Write.
type demo struct {
	file       *file
	random     seeded
	now, today time.Time
	games      []uuid.UUID
}

func (d *demo) writeGames() error {
	for _, g := range demoGames {
		id := d.random.id()
		d.games = append(d.games, id)
		if err := d.file.write(game{"game", id, g.slug, g.title}); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) writeOrganisation(o demoOrganisation) error {
	id := d.random.id()
	if err := d.file.write(organisation{
		"organisation", id, o.slug, o.name, o.plan, o.mode,
	}); err != nil {
		return err
	}
	if err := d.writeAccounts(id, o.name); err != nil {
		return err
	}
	forks, err := d.writeForks(id, o.forks)
	if err != nil {
		return err
	}
	people, err := d.writePlayers(id, o)
	if err != nil {
		return err
	}
	return d.writePlays(o, forks, people)
}

func (d *demo) writeAccounts(organisationID uuid.UUID, name string) error {
	for _, a := range Accounts {
		if a.Organisation != name {
			continue
		}
		_ = d.random.id() // the ids that the API’s examples name come after this draw
		id := d.random.id()
		if err := d.file.write(user{
			"user", id, a.Email, a.Name, a.passwordHash, a.TOTPSecret, "en",
		}); err != nil {
			return err
		}
		if err := d.file.write(membership{"membership", organisationID, id, a.Role}); err != nil {
			return err
		}
	}
	return nil
}

// liveFork is a deployed fork.
type liveFork struct {
	demoFork
	id     uuid.UUID
	skills []string
}

func (d *demo) writeForks(organisationID uuid.UUID, forks []demoFork) ([]liveFork, error) {
	var live []liveFork
	for _, f := range forks {
		object := fork{
			Type:           "fork",
			ID:             d.random.id(),
			OrganisationID: organisationID,
			GameID:         d.games[f.game],
			Slug:           f.slug,
			Title:          f.title,
			Major:          cmp.Or(f.major, 1),
			Status:         cmp.Or(f.status, "active"),
			Visibility:     cmp.Or(f.visibility, "organization"),
			SourceLocale:   cmp.Or(f.locale, "en"),
			Suspended:      f.suspended,
			CreatedAt:      d.instant(f.created, 9),
			UpdatedAt:      d.instant(f.ended, 8),
		}
		if f.ended == 0 {
			object.UpdatedAt = d.instant(min(f.created, 10), 14)
		}
		if f.configuration != "" {
			object.Configuration = json.RawMessage(f.configuration)
		}
		if f.deployed >= 0 {
			object.DeployedReleaseNumber = &f.releases
			live = append(live, liveFork{f, object.ID, demoGames[f.game].skills})
		}
		if err := d.file.write(object); err != nil {
			return nil, err
		}
	}
	return live, nil
}

// instant draws an instant within the given hour of a day in the past.
func (d *demo) instant(daysAgo, hour int) time.Time {
	return d.today.AddDate(0, 0, -daysAgo).Add(time.Duration(hour)*time.Hour +
		time.Duration(d.random.Int64N(int64(time.Hour/time.Millisecond)))*time.Millisecond)
}

// person is a player with its ability and activity.
type person struct {
	id            uuid.UUID
	joined, left  int // days before today; left 0: still there
	ability, pace float64
	activity      float64
	plays         map[uuid.UUID]int // by fork
}

// writePlayers writes players and groups. Most players join in four waves, some in between; one in
// eight has left; one in thirty never plays.
func (d *demo) writePlayers(organisationID uuid.UUID, o demoOrganisation) ([]*person, error) {
	var people []*person
	var ids []uuid.UUID
	waves := [...]int{730, 560, 370, 150}
	for _, name := range playerNames(d.random, o.names, o.players) {
		p := &person{
			id:       d.random.id(),
			joined:   waves[d.random.IntN(len(waves))] - d.random.IntN(45),
			ability:  0.62 + 0.14*d.random.NormFloat64(),
			pace:     0.02 + 0.03*d.random.Float64(),
			activity: 0.2 + d.random.ExpFloat64(),
			plays:    map[uuid.UUID]int{},
		}
		if d.random.chance(0.125) {
			p.left = d.random.IntN(p.joined)
		}
		if d.random.chance(1.0 / 30) {
			p.activity = 0
		}
		people = append(people, p)
		ids = append(ids, p.id)
		if err := d.file.write(player{"player", p.id, organisationID, name}); err != nil {
			return nil, err
		}
	}
	for _, g := range o.groups {
		members := make([]uuid.UUID, 0, g.members)
		for _, at := range d.random.Perm(len(ids))[:g.members] {
			members = append(members, ids[at])
		}
		id := d.random.id()
		err := d.file.write(group{"group", id, organisationID, g.name, members})
		if err == nil && g.part != "" {
			part := uuid.NewSHA1(id, []byte(g.part))
			err = d.file.write(group{"group", part, organisationID, g.part, members[4:]})
		}
		if err != nil {
			return nil, err
		}
	}
	return people, nil
}
