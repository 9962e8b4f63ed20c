library(httr2)
Sys.setenv(no_proxy = paste0("localhost,127.0.0.1,::1,", Sys.getenv("no_proxy", Sys.getenv("NO_PROXY"))))
key <- gsub("^\\W+|\\W+$", "", Sys.getenv("DG_KEY"), perl = TRUE)
if (!grepl("^dg_live_\\w+$", key, perl = TRUE)) stop("DG_KEY must be one key.")
fork <- "https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64"
answer <- request(paste0(fork, "/stats")) |> req_url_query(from = "2026-03-01", to = "2026-03-02") |>
  req_auth_bearer_token(key) |> req_options(maxredirs = 0) |> req_error(is_error = \(answer) resp_status(answer) != 200) |> req_perform()
stopifnot("The answer is not JSON." = resp_content_type(answer) == "application/json")
cat(resp_body_string(answer))
