library(httr2)
key <- Sys.getenv("DG_KEY")
answer <- request("https://dg.example.org/api/v1/forks") |> req_auth_bearer_token(key) |> req_options(maxredirs = 0) |> req_perform()
cat(resp_body_string(answer))
