//go:build ignore

// Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/oapi-codegen/runtime/types"

	"first/dg"
)

// patient waits when there are too many requests, or the service is busy: the answer says how long.
type patient struct{}

func (patient) Do(r *http.Request) (*http.Response, error) {
	for tries := 1; ; tries++ {
		response, err := http.DefaultClient.Do(r)
		if err != nil || tries == 8 || response.StatusCode != 429 && response.StatusCode != 503 {
			return response, err
		}
		response.Body.Close()
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		time.Sleep(time.Duration(max(seconds, 1)) * time.Second)
	}
}

func authorize(_ context.Context, r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+os.Getenv("DG_KEY"))
	return nil
}

func main() {
	client, err := dg.NewClientWithResponses("https://dg.example.org", dg.WithHTTPClient(patient{}),
		dg.WithRequestEditorFn(authorize))
	check(err)
	now := time.Now().UTC()
	first := types.Date{Time: time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)}
	last := types.Date{Time: time.Date(now.Year(), now.Month(), 0, 0, 0, 0, 0, time.UTC)}

	ctx := context.Background()
	forks, err := client.ListForksWithResponse(ctx, nil)
	check(err)
	if forks.JSON200 == nil {
		log.Fatal(string(forks.Body))
	}
	for _, fork := range forks.JSON200.Items {
		stats, err := client.GetForkStatsWithResponse(ctx, fork.Id, &dg.GetForkStatsParams{From: first, To: last})
		check(err)
		if stats.JSON200 == nil {
			log.Fatal(string(stats.Body))
		}
		fmt.Printf("%s: %d plays, %d players\n", fork.Title, stats.JSON200.Plays, stats.JSON200.UniquePlayers)
	}

	csv, err := client.ExportForkPlaysCsv(ctx, forks.JSON200.Items[0].Id, &dg.ExportForkPlaysCsvParams{From: first, To: last})
	check(err)
	defer csv.Body.Close()
	if csv.StatusCode != http.StatusOK {
		log.Fatal(csv.Status)
	}
	file, err := os.Create("plays.csv.part")
	check(err)
	_, err = io.Copy(file, csv.Body) // an error where the transfer breaks off
	check(err)
	check(file.Close())
	check(os.Rename("plays.csv.part", "plays.csv"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
