package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"time"

	"dg/modules/apikeys"
	"dg/platform/testkit"
)

const (
	maxPlayers          = 100_000
	smallGroup          = 50
	largestGroup        = 5_000
	historyDays         = 400
	keysPerOrganisation = 300 // used in rotation, because each key has a rate limit
)

// benchData describes the data in a folder: three organisations with one fork each.
type benchData struct {
	Now   time.Time // the instant at which the plays end
	Main  dataset   // its reports and exports are measured
	Other dataset   // a neighbour with large reports; plays are inserted into it
	Small dataset   // its small reports are measured beside load from Main and Other
}

type dataset struct {
	Size    testkit.ImportFileSize
	IDs     testkit.ImportFileIDs
	Headers []string // values of Authorization, one for each key
}

// openData reads the description of the folder's data. If the description is missing, openData
// loads data.
func (b *bench) openData(ctx context.Context, plays int) error {
	path := filepath.Join(b.folder, "set.json")
	text, err := os.ReadFile(path)
	if err == nil {
		return json.Unmarshal(text, &b.data)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	players := min(plays/10, maxPlayers)
	groups := []int{smallGroup, min(players/20, largestGroup)}
	b.data = benchData{
		Now:   time.Now().UTC().Truncate(time.Millisecond),
		Main:  dataset{Size: testkit.ImportFileSize{Plays: plays, Players: players, Groups: groups}},
		Other: dataset{Size: testkit.ImportFileSize{Plays: minPlays, Players: 10_000}},
		Small: dataset{Size: testkit.ImportFileSize{Plays: 10_000, Players: 500}},
	}
	log.Printf("loading %d plays", plays)
	if err := b.loadData(ctx); err != nil {
		return err
	}
	if text, err = json.Marshal(b.data); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// loadData imports the organisations in one transaction, and creates their keys.
func (b *bench) loadData(ctx context.Context) error {
	cmd := b.dgCommand(ctx, "import", "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = b.data.write(stdin)
	if err = errors.Join(err, stdin.Close(), cmd.Wait()); err != nil {
		return fmt.Errorf("dg import: %w", err)
	}
	for _, d := range b.data.datasets() {
		if err := b.makeKeys(ctx, d); err != nil {
			return fmt.Errorf("make keys: %w", err)
		}
	}
	return b.execute(ctx, `vacuum (analyze)`) // autovacuum does this on a running server
}

func (d *benchData) datasets() []*dataset { return []*dataset{&d.Main, &d.Other, &d.Small} }

func (d *benchData) write(w io.Writer) (err error) {
	for seed, organisation := range d.datasets() {
		organisation.Size.Days = historyDays
		if organisation.IDs, err = testkit.WriteImportFile(w, uint64(seed), d.Now, organisation.Size); err != nil {
			return err
		}
	}
	return nil
}

// makeKeys inserts the keys with one statement, because the service would write an audit entry for
// each.
func (b *bench) makeKeys(ctx context.Context, d *dataset) error {
	var ids []string
	var hashes [][]byte
	for range keysPerOrganisation {
		token := apikeys.NewToken()
		hash := sha256.Sum256([]byte(token.Secret))
		ids = append(ids, token.ID)
		hashes = append(hashes, hash[:])
		d.Headers = append(d.Headers, "Bearer "+token.String())
	}
	return b.execute(ctx, `insert into api_keys
		(id, org_id, name, scopes, secret_hash, created_at, created_by, creator_name)
		select id, $1, 'bench', '{forks:read,reports:read}', hash, now(), 'bench', 'bench'
		from unnest($2::text[], $3::bytea[]) k (id, hash)`, d.IDs.Organisation, ids, hashes)
}
