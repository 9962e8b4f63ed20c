package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Random queries get answers that contractCheck accepts.
func TestRandomQueriesKeepToTheDocument(t *testing.T) {
	t.Parallel()
	w := start(t)
	token := w.loadDemo(t)
	organisation := w.organisation("harbour-and-vale")
	queries := soak(700, 70)
	random := rand.New(rand.NewPCG(7, 700))
	statuses := map[int]int{}
	for i := range queries {
		if i%100 == 99 { // the rate limit is 120
			token = w.key(t, organisation,
				[][]string{nil, {"reports:read"}}[random.IntN(2)]...)
		}
		got := w.get(t, randomPath(random), token, "X-Request-Id",
			randomOf(random, "nightly-load", "x", "a b", "ÿÿÿÿÿÿÿÿ"))
		statuses[got.StatusCode]++
		assert.Less(t, got.StatusCode, http.StatusInternalServerError, "%s", got.Request.URL)
	}
	for _, status := range []int{200, 400, 404} {
		assert.Greater(t, statuses[status], queries/20, "%d: %v", status, statuses)
	}
	t.Log(statuses)
}

func randomOf(random *rand.Rand, values ...string) string {
	return values[random.IntN(len(values))]
}

// randomPath returns a path and query that are valid for the demo, or nearly.
func randomPath(random *rand.Rand) string {
	const dock = "60772820-1226-4be5-b50f-c2adbe3dca64"
	fork := randomOf(random, dock, dock, dock, strings.ToUpper(dock),
		"4b5be377-0acf-4be2-9c9f-0fa454db3805",
		"581ce1e3-2f66-449e-988a-23eaa57a4c19", "00000000-0000-0000-0000-000000000000", "x/y", "ü")
	path := "/api/v1/forks/" + url.PathEscape(fork) +
		randomOf(random, "", "/stats", "/stats", "/exports/csv", "/exports/csv")
	query := url.Values{}
	for _, name := range []string{"from", "to"} {
		day := fmt.Sprintf("2026-03-%02d", 1+random.IntN(9))
		query.Set(name,
			randomOf(random, day, day, day, day, day, day, day, day, "2025-12-31", "2026-02-29",
				"1999-12-31", "tomorrow"))
		if random.IntN(20) == 0 {
			query.Del(name)
		}
	}
	if random.IntN(2) == 0 {
		query.Set("groupId",
			randomOf(random, "367856ea-0ce4-4434-8f3b-0260cd0f3211",
				"10b4ffac-4852-4253-8729-c84f6fbf6e70",
				"a12f4719-74bf-46ef-ae24-dcdb55d7138b", "a12f4719",
				"00000000-0000-0000-0000-000000000000", ""))
	}
	if random.IntN(20) == 0 {
		query.Set(randomOf(random, "group", "From", "limit"), "1")
	}
	return path + "?" + query.Encode()
}
