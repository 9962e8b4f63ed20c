library(httr2)
Sys.setenv(http_proxy = "")
key <- gsub("^[\ufeff\\s]+|\\s+$", "", Sys.getenv("DG_KEY"), perl = TRUE)
if (!grepl("^[!-~]+$", key, perl = TRUE)) stop("DG_KEY must be one line of ASCII.")
fork <- "https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64"
answer <- request(paste0(fork, "/stats")) |> req_url_query(from = "2026-03-01", to = "2026-03-02") |>
  req_auth_bearer_token(key) |> req_options(maxredirs = 0) |> req_error(is_error = \(answer) resp_status(answer) != 200) |> req_perform()
stopifnot("The answer is not JSON." = resp_content_type(answer) == "application/json")
cat(resp_body_string(answer))
