//go:build ignore

// Reads all forks into three slices, forks, daily and plays, joined by ForkID, and draws them in the terminal.
// Standard library only. Before: export DG_KEY. Run: go run dg.go
package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	base  = "https://dg.example.org"
	from  = "2025-04-01"   // the first day, to today. Days are UTC days
	zone  = "Europe/Paris" // yours: the times of plays are converted to it
	fork  = ""             // such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty: all forks
	group = ""             // such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players
)

type Fork struct {
	ForkID string `json:"id"`
	Title  string
	Hidden bool // whether a period has no figures
}

type Day struct {
	ForkID          string
	Date            string
	Plays           int
	AvgScorePercent float64 // a day without plays has no average
}

// Play is a row. What an unfinished play leaves empty is nil.
type Play struct {
	ForkID, PlayID, PlayerKey, PlayerLabel string
	StartedAt                              time.Time
	ScorePercent                           *float64
	Passed                                 *bool
}

// period is a request: at most 366 days of a fork.
type period struct {
	fork  *Fork
	query url.Values
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// The key goes to no other address: a redirect is an error.
var client = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

var noneLeft = regexp.MustCompile(`r=0;t=(\d+)`)

// wait waits for seconds, or until a date. Anything else means five seconds.
func wait(after string) {
	seconds, err := strconv.ParseFloat(after, 64)
	if date, none := http.ParseTime(after); none == nil {
		seconds = time.Until(date).Seconds()
	} else if err != nil || seconds < 0 {
		seconds = 5
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
}

// get returns the body. A transfer that breaks off is an error.
func get(path string, query url.Values) []byte {
	for range 8 {
		request := must(http.NewRequest(http.MethodGet, base+"/api/v1/forks"+path+"?"+query.Encode(), nil))
		request.Header.Set("Authorization", "Bearer "+os.Getenv("DG_KEY"))
		response := must(client.Do(request))
		body := must(io.ReadAll(response.Body))
		response.Body.Close()
		switch response.StatusCode {
		case http.StatusOK:
			if limit := noneLeft.FindStringSubmatch(response.Header.Get("RateLimit")); limit != nil {
				wait(limit[1])
			}
			return body
		case http.StatusTooManyRequests, http.StatusServiceUnavailable: // too many requests, or busy
			wait(response.Header.Get("Retry-After"))
		default:
			log.Fatalf("%s: %s", response.Status, body)
		}
	}
	log.Fatal("the service is still busy after 8 attempts")
	return nil
}

func readForks() []*Fork {
	var list struct{ Items []*Fork }
	must(0, json.Unmarshal(get("", nil), &list))
	return slices.DeleteFunc(list.Items, func(f *Fork) bool { return fork != "" && f.ForkID != fork })
}

// readDaily returns the days of all forks, and the periods that have figures.
func readDaily(forks []*Fork) (daily []Day, shown []period) {
	today := time.Now().UTC()
	for _, f := range forks {
		for first := must(time.Parse(time.DateOnly, from)); !first.After(today); first = first.AddDate(0, 0, 366) {
			last := first.AddDate(0, 0, 365)
			if last.After(today) {
				last = today
			}
			query := url.Values{"from": {first.Format(time.DateOnly)}, "to": {last.Format(time.DateOnly)}}
			if group != "" {
				query.Set("groupId", group)
			}
			var stats struct {
				Suppressed bool
				Daily      []Day
			}
			must(0, json.Unmarshal(get("/"+f.ForkID+"/stats", query), &stats))
			if stats.Suppressed {
				f.Hidden = true
				fmt.Printf("%s, %s: hidden, fewer than 5 members of the group played. This is not zero.\n", f.Title, query.Encode())
				continue
			}
			shown = append(shown, period{f, query})
			for _, day := range stats.Daily {
				day.ForkID = f.ForkID
				daily = append(daily, day)
			}
		}
	}
	return daily, shown
}

// draw prints the plays of each fork by week (UTC).
func draw(forks []*Fork, daily []Day) {
	weeks := map[string]map[time.Time]int{}
	sums := map[string]int{}
	most := 1
	for _, day := range daily {
		date := must(time.Parse(time.DateOnly, day.Date))
		monday := date.AddDate(0, 0, -int(date.Weekday()+6)%7)
		if weeks[day.ForkID] == nil {
			weeks[day.ForkID] = map[time.Time]int{}
		}
		weeks[day.ForkID][monday] += day.Plays
		sums[day.ForkID] += day.Plays
		most = max(most, weeks[day.ForkID][monday])
	}
	ordered := slices.Clone(forks)
	slices.SortFunc(ordered, func(a, b *Fork) int { return sums[b.ForkID] - sums[a.ForkID] })
	for _, f := range ordered {
		var mondays []time.Time
		for monday := range weeks[f.ForkID] {
			mondays = append(mondays, monday)
		}
		slices.SortFunc(mondays, time.Time.Compare)
		var bars strings.Builder
		for _, monday := range mondays {
			height := (7*weeks[f.ForkID][monday] + most - 1) / most
			bars.WriteRune([]rune("▁▂▃▄▅▆▇█")[height])
		}
		if len(mondays) > 0 {
			fmt.Printf("%-34.34s %7d  %s\n", f.Title, sums[f.ForkID], &bars)
		}
	}
}

func readPlays(shown []period) (plays []Play) {
	local := must(time.LoadLocation(zone))
	for _, p := range shown {
		rows := must(csv.NewReader(strings.NewReader(string(get("/"+p.fork.ForkID+"/exports/csv", p.query)))).ReadAll())
		for _, row := range rows[1:] {
			cell := func(name string) string { return row[slices.Index(rows[0], name)] }
			play := Play{ForkID: cell("forkId"), PlayID: cell("playId"), PlayerKey: cell("playerKey"), PlayerLabel: cell("playerLabel")}
			play.StartedAt = must(time.Parse(time.RFC3339, cell("startedAt"))).In(local)
			if score, err := strconv.ParseFloat(cell("scorePercent"), 64); err == nil {
				play.ScorePercent = &score
			}
			if passed, err := strconv.ParseBool(cell("passed")); err == nil {
				play.Passed = &passed
			}
			plays = append(plays, play)
		}
	}
	return plays
}

func main() {
	if !regexp.MustCompile(`^(https://|http://(localhost|127\.0\.0\.1|\[::1])(:|/|$))`).MatchString(base) {
		log.Fatal("base must begin with https://")
	}
	forks := readForks()
	daily, shown := readDaily(forks)
	if len(shown) == 0 {
		log.Fatal("nothing is shown")
	}
	draw(forks, daily) // before the plays are read
	plays := readPlays(shown)

	// Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
	players := map[string]bool{}
	completed := 0
	sum := 0.0
	var hours [24]int
	for _, play := range plays {
		players[play.PlayerKey] = true
		hours[play.StartedAt.Hour()]++
		if play.ScorePercent != nil {
			completed++
			sum += *play.ScorePercent
		}
	}
	fmt.Printf("%d forks, %d plays, %d players, %d completed, average score %.2f\n",
		len(forks), len(plays), len(players), completed, sum/float64(completed))
	most := slices.Max(hours[:])
	fmt.Printf("most plays start at %02d:00 (%s): %d\n", slices.Index(hours[:], most), zone, most)
}
