library(httr2)
key <- Sys.getenv("DG_KEY")
fork <- "https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64"
request(paste0(fork, "/exports/csv")) |> req_url_query(from = "2026-03-01", to = "2026-03-02") |>
  req_auth_bearer_token(key) |> req_options(maxredirs = 0) |> req_perform(path = "plays.csv")
