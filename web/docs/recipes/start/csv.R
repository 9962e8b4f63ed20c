library(httr2)
Sys.setenv(no_proxy = paste0("localhost,127.0.0.1,::1,", Sys.getenv("no_proxy", Sys.getenv("NO_PROXY"))))
key <- gsub("^\\W+|\\W+$", "", Sys.getenv("DG_KEY"), perl = TRUE)
if (!grepl("^dg_live_\\w+$", key, perl = TRUE)) stop("DG_KEY must be one key.")
fork <- "https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64"
request(paste0(fork, "/exports/csv")) |> req_url_query(from = "2026-03-01", to = "2026-03-02") |>
  req_auth_bearer_token(key) |> req_options(maxredirs = 0, low_speed_limit = 1, low_speed_time = 60) |>
  req_error(is_error = \(answer) resp_status(answer) != 200) |> req_perform(path = "plays.part.csv")
bytes <- readBin("plays.part.csv", "raw", file.size("plays.part.csv"))
whole <- identical(rawToChar(head(bytes, 7)), "playId,") && tail(bytes, 1) == charToRaw("\n")
stopifnot("This is no whole export." = whole, file.rename("plays.part.csv", "plays.csv"))
