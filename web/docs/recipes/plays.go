//go:build ignore

// Reads every play of a fork into typed values. Standard library only.
// Before: export DG_KEY. Run: go run plays.go
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"time"
)

const (
	base  = "https://dg.example.org"
	fork  = "60772820-1226-4be5-b50f-c2adbe3dca64"
	from  = "2024-01-01"
	to    = "2026-03-31"
	group = "" // such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players
)

// Play is a row. What an unfinished play leaves empty is nil.
type Play struct {
	ID, PlayerKey, PlayerLabel string
	StartedAt                  time.Time
	Score                      *float64
	Passed                     *bool
}

var noneLeft = regexp.MustCompile(`r=0;t=(\d+)`)

func wait(seconds string) {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		n = 5
	}
	time.Sleep(time.Duration(n) * time.Second)
}

func get(path string, query url.Values) (*http.Response, error) {
	for range 8 {
		request, err := http.NewRequest(http.MethodGet, base+path+"?"+query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("DG_KEY"))
		response, err := http.DefaultClient.Do(request)
		switch {
		case err != nil:
			return nil, err
		case response.StatusCode == http.StatusOK:
			if limit := noneLeft.FindStringSubmatch(response.Header.Get("RateLimit")); limit != nil {
				wait(limit[1])
			}
			return response, nil
		case response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable:
			message, _ := io.ReadAll(response.Body)
			return nil, fmt.Errorf("%s: %s", response.Status, message)
		}
		response.Body.Close()
		wait(response.Header.Get("Retry-After"))
	}
	return nil, fmt.Errorf("the service is still busy after 8 attempts")
}

func read(first, last time.Time) (plays []Play, err error) {
	query := url.Values{"from": {first.Format(time.DateOnly)}, "to": {last.Format(time.DateOnly)}}
	if group != "" {
		query.Set("groupId", group)
	}
	response, err := get("/api/v1/forks/"+fork+"/exports/csv", query)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.Header.Get("X-DG-Report-Suppressed") != "" {
		return nil, fmt.Errorf("%s: hidden, fewer than 5 members of the group played. This is not zero", query.Encode())
	}
	rows := csv.NewReader(response.Body) // a transfer that breaks off is an error
	header, err := rows.Read()
	if err != nil {
		return nil, err
	}
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return plays, nil
		} else if err != nil {
			return nil, err
		}
		play := Play{ID: row[column["playId"]], PlayerKey: row[column["playerKey"]], PlayerLabel: row[column["playerLabel"]]}
		if play.StartedAt, err = time.Parse(time.RFC3339, row[column["startedAt"]]); err != nil {
			return nil, err
		}
		if score, err := strconv.ParseFloat(row[column["scorePercent"]], 64); err == nil {
			play.Score = &score
		}
		if passed, err := strconv.ParseBool(row[column["passed"]]); err == nil {
			play.Passed = &passed
		}
		plays = append(plays, play)
	}
}

func main() {
	first, _ := time.Parse(time.DateOnly, from)
	end, _ := time.Parse(time.DateOnly, to)
	var plays []Play
	for ; !first.After(end); first = first.AddDate(0, 0, 366) { // windows of at most 366 days
		last := first.AddDate(0, 0, 365)
		if last.After(end) {
			last = end
		}
		part, err := read(first, last)
		if err != nil {
			log.Fatal(err)
		}
		plays = append(plays, part...)
	}
	// Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
	players := map[string]bool{}
	completed := 0
	sum := 0.0
	for _, play := range plays {
		players[play.PlayerKey] = true
		if play.Score != nil {
			completed++
			sum += *play.Score
		}
	}
	fmt.Printf("%d plays, %d players, %d completed, average score %.2f\n", len(plays), len(players), completed, sum/float64(completed))
}
