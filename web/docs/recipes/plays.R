# Reads every play of a fork into a typed table of readr.
# Needs: install.packages(c("httr2", "readr")). Before: export DG_KEY
library(httr2)
library(readr)

url <- "https://dg.example.org"
fork <- "60772820-1226-4be5-b50f-c2adbe3dca64"
from <- as.Date("2024-01-01")
to <- as.Date("2026-03-31")
group <- NULL # such as "367856ea-0ce4-4434-8f3b-0260cd0f3211"; NULL: all players

types <- cols(
  playId = "c", forkId = "c", releaseNumber = "i", playerKey = "c", playerLabel = "c", startedAt = "T", completedAt = "T",
  durationSeconds = "i", completed = "l", scorePercent = "d", passed = "l", skills = "c"
)

get_csv <- function(first, last) {
  response <- request(url) |>
    req_url_path_append("api/v1/forks", fork, "exports/csv") |>
    req_url_query(from = format(first), to = format(last), groupId = group) |>
    req_auth_bearer_token(Sys.getenv("DG_KEY")) |>
    req_retry(max_tries = 8) |> # waits for Retry-After after 429 and 503
    req_error(body = \(answer) resp_body_json(answer)$message) |>
    req_perform()
  if (resp_header_exists(response, "X-DG-Report-Suppressed")) {
    stop(first, " to ", last, ": hidden, fewer than 5 members of the group played. This is not zero.", call. = FALSE)
  }
  # No request left: wait until there is one.
  limit <- regmatches(resp_header(response, "RateLimit"), regexec("r=0;t=([0-9]+)", resp_header(response, "RateLimit")))[[1]]
  if (length(limit) > 0) Sys.sleep(as.numeric(limit[2]))
  # The types hold for a file without rows too. Nobody's name becomes "missing" because it is NA.
  read_csv(I(resp_body_string(response)), col_types = types, na = "")
}

# Windows of at most 366 days.
starts <- seq(from, to, by = 366)
plays <- do.call(rbind, lapply(starts, \(first) get_csv(first, min(first + 365, to))))

# Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
print(spec(plays))
cat(sprintf(
  "%d plays, %d players, %d completed, average score %.2f\n",
  nrow(plays), length(unique(plays$playerKey)), sum(plays$completed), mean(plays$scorePercent, na.rm = TRUE)
))
# A first chart: barplot(table(cut(plays$startedAt, "week")))
