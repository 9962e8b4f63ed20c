package publicapi

import (
	"encoding/json"
	"fmt"
	"strconv"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/platform/format"
	"dg/platform/httpserver"
)

type forkDTO struct {
	ID                    string `json:"id"`
	GameID                string `json:"gameId"`
	Slug                  string `json:"slug"`
	Title                 string `json:"title"`
	Major                 int    `json:"major"`
	Status                string `json:"status"`
	Visibility            string `json:"visibility"`
	SourceLocale          string `json:"sourceLocale"`
	DeployedReleaseNumber *int   `json:"deployedReleaseNumber"`
	Suspended             bool   `json:"suspended"`
	CreatedAt             string `json:"createdAt"`
	UpdatedAt             string `json:"updatedAt"`
}

func toForkDTO(f games.Fork) forkDTO {
	return forkDTO{
		ID:                    f.ID,
		GameID:                f.GameID,
		Slug:                  f.Slug,
		Title:                 f.Title,
		Major:                 f.Major,
		Status:                f.Status,
		Visibility:            f.Visibility,
		SourceLocale:          f.SourceLocale,
		DeployedReleaseNumber: f.DeployedReleaseNumber,
		Suspended:             f.Suspended,
		CreatedAt:             format.Instant(f.CreatedAt),
		UpdatedAt:             format.Instant(f.UpdatedAt),
	}
}

// listForks handles GET /api/v1/forks: the forks, or 304. Errors: 401, 403 (scope), 429, 503.
func (a *API) listForks(r *call) error {
	forks, err := a.Games.Forks(r.ctx, r.caller.OrganisationID)
	if err != nil {
		return err
	}
	if err := a.authorizeList(r.caller, forks); err != nil {
		return err
	}
	version := int64(0) // stays 0 for an empty list, which has no row to take the version from
	if len(forks) > 0 {
		version = forks[0].OrganisationVersion
	}
	items := make([]forkDTO, len(forks))
	for i, f := range forks {
		items[i] = toForkDTO(f)
	}
	return a.sendForks(r, version, map[string][]forkDTO{"items": items})
}

// authorizeList is defence in depth: only a bug in the query can return forks of another owner.
func (a *API) authorizeList(caller apikeys.Caller, forks []games.Fork) error {
	for i, f := range forks {
		if i > 0 && f.OrganisationID == forks[i-1].OrganisationID {
			continue
		}
		if err := a.Policy.Authorize(caller.Subject, games.ListForks, f.OrganisationID); err != nil {
			return fmt.Errorf("publicapi: fork %s in the list: %w", f.ID, err)
		}
	}
	return nil
}

// getFork handles GET /api/v1/forks/{forkId}: the fork, or 304. Errors: 401, 403 (scope, another
// organisation's fork), 404, 429, 503.
func (a *API) getFork(r *call) error {
	fork, err := a.forkOf(r)
	if err != nil {
		return err
	}
	return a.sendForks(r, fork.OrganisationVersion, toForkDTO(fork))
}

// forkWireVersion must change with the JSON of a fork, so that clients discard cached forks.
const forkWireVersion = "1"

// sendForks sends forks, or 304. version must come from the snapshot of the forks, because the ETag
// identifies them by their organisation and its version.
func (a *API) sendForks(r *call, version int64, forks any) error {
	tag := httpserver.ETag(r.c, forkWireVersion, r.caller.OrganisationID, strconv.FormatInt(version, 10))
	if httpserver.NotModified(r.c, tag) {
		return httpserver.SendNotModified(r.c, tag)
	}
	body, err := json.Marshal(forks)
	if err != nil {
		return err
	}
	return a.send(r, body, tag)
}
