# Reads all forks into three tables, forks, daily and plays, joined by forkId, and draws dg.png.
# Needs R 4.1 or later, and: install.packages(c("httr2", "jsonlite", "readr")). Before: export DG_KEY
library(httr2)
library(readr)

url <- "https://dg.example.org"
from <- as.Date("2025-04-01") # the first UTC day; the last is today
zone <- "Europe/Paris" # your time zone, to which times of plays are converted
fork <- NULL # such as "60772820-1226-4be5-b50f-c2adbe3dca64"; NULL for all forks
group <- NULL # such as "367856ea-0ce4-4434-8f3b-0260cd0f3211"; NULL for all players

if (!grepl("^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1])(:[0-9]+)?(/|$))", url)) stop("url must begin with https://")
if (startsWith(url, "http:")) Sys.setenv(no_proxy = "*") # no proxy may see the unencrypted key
key <- gsub("^\\W+|\\W+$", "", Sys.getenv("DG_KEY"), perl = TRUE)
if (!grepl("^dg_live_[0-9A-Za-z_]+$", key, perl = TRUE)) stop("DG_KEY must be dg_live_<id>_<secret>: one line of ASCII.")
columns <- "playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,"
types <- cols(
  .default = "c", releaseNumber = "i", startedAt = "T", completedAt = "T", durationSeconds = "d", completed = "l",
  scorePercent = "d", passed = "l"
)

after <- function(response) { # Retry-After has seconds, or a date within an hour. Anything else means five seconds
  text <- toString(resp_header(response, "Retry-After"))
  if (grepl("^[0-9]{1,4}([.][0-9]+)?$", text)) return(as.numeric(text))
  seconds <- if (grepl(" [0-9]{4} [0-9:]+ GMT$", text)) as.numeric(difftime(curl::parse_date(text), Sys.time(), units = "secs")) else -1
  if (isTRUE(seconds >= 0 && seconds <= 3600)) seconds else 5
}

told <- function(answer) { # removes control characters, and the key, which a gateway may repeat
  substr(gsub("[[:cntrl:]]", "", gsub(key, "…", resp_body_string(answer), fixed = TRUE)), 1, 500)
}

get <- function(path, ...) {
  response <- request(url) |>
    req_url_path_append("api/v1", path) |>
    req_url_query(...) |>
    req_auth_bearer_token(key) |>
    req_options(followlocation = FALSE, low_speed_limit = 1, low_speed_time = 60) |> # the key goes to no other address
    req_retry(max_tries = 8, after = after, backoff = \(tries) 5) |> # after 429 and 503
    req_error(is_error = \(answer) resp_status(answer) != 200, body = told) |>
    req_perform() # a transfer that breaks off is an error
  # No request left: wait until there is one.
  limit <- toString(resp_header(response, "RateLimit"))
  limit <- regmatches(limit, regexec("r=0;t=([0-9]+)", limit))[[1]]
  if (length(limit) > 0) Sys.sleep(as.numeric(limit[2]))
  response
}

# The rows of an export, as many as there are plays. If the numbers differ, the export is read again: a play may have come in between.
# The types hold for a file without rows too. No name becomes "missing": NA is one, and blanks are kept.
read <- function(path, count, ...) {
  for (attempt in 1:2) {
    text <- resp_body_string(get(paste0(path, "/exports/csv"), ...))
    if (!startsWith(text, columns) || !endsWith(text, "\n")) break
    rows <- suppressWarnings(read_csv(I(text), col_types = types, na = "", trim_ws = FALSE))
    if (nrow(problems(rows)) == 0 && nrow(rows) == count) return(rows)
    stats <- resp_body_json(get(paste0(path, "/stats"), ...))
    count <- if (stats$suppressed) -1 else stats$plays # a group hidden meanwhile has no count
  }
  stop(path, ": rows are missing or cut, or the answer is no export.", call. = FALSE)
}

forks <- resp_body_json(get("forks"), simplifyVector = TRUE)$items
names(forks)[names(forks) == "id"] <- "forkId"
if (!is.null(fork)) forks <- forks[forks$forkId == fork, ]

# A request covers at most 366 days.
today <- as.Date(format(Sys.time(), tz = "UTC"))
if (from > today || NROW(forks) == 0) stop("Nothing is shown: check the first day, the fork and the group.", call. = FALSE)
for (column in c("createdAt", "updatedAt")) {
  forks[[column]] <- parse_datetime(forks[[column]])
  attr(forks[[column]], "tzone") <- zone
}
starts <- seq(from, today, by = 366)
periods <- merge(data.frame(forkId = forks$forkId), data.frame(from = starts, to = pmin(starts + 365, today)))
stats <- Map(\(id, from, to) {
  resp_body_json(get(paste0("forks/", id, "/stats"), from = format(from), to = format(to), groupId = group), simplifyVector = TRUE)
}, periods$forkId, periods$from, periods$to)
periods$hidden <- vapply(stats, \(s) s$suppressed, TRUE)
with(periods[periods$hidden, ], cat(sprintf(
  "%s, %s to %s: hidden, fewer than 5 members of the group played. This is not zero.\n",
  forks$title[match(forkId, forks$forkId)], from, to
), sep = ""))
if (all(periods$hidden)) stop("Nothing is shown: check the first day, the fork and the group.", call. = FALSE)
forks$hidden <- forks$forkId %in% periods$forkId[periods$hidden]
shown <- periods[!periods$hidden, ]
daily <- do.call(rbind, Map(\(id, s) cbind(forkId = id, s$daily), shown$forkId, stats[!periods$hidden]))
daily$date <- as.Date(daily$date)
daily$avgScorePercent[daily$plays == 0] <- NA # a day without plays has no average

# The chart, before the plays are read: the seven forks with most plays, by week. The first and last week, which may be incomplete, are left out.
daily$week <- daily$date - (as.integer(format(daily$date, "%u")) - 1)
most <- head(names(sort(-tapply(daily$plays, daily$forkId, sum))), 7)
weeks <- tapply(daily$plays, list(as.character(daily$week), daily$forkId), sum)[, most, drop = FALSE]
weeks <- weeks[-c(1, nrow(weeks)), , drop = FALSE]
if (sum(weeks, na.rm = TRUE) > 0) { # a hidden week is a gap
  colours <- palette.colors(length(most))
  png("dg.part.png", width = 800, height = 400)
  par(mar = c(3, 3, 3, 1))
  matplot(as.Date(rownames(weeks)), weeks, type = "l", lty = 1, lwd = 2, col = colours, ylim = c(0, 1.3 * max(weeks, na.rm = TRUE)), xaxt = "n",
    xlab = "", ylab = "", main = "Plays per week (UTC)")
  axis.Date(1, at = pretty(as.Date(rownames(weeks))), format = "%e %b %Y")
  legend("top", forks$title[match(most, forks$forkId)], lty = 1, lwd = 2, col = colours, bty = "n", ncol = 3)
  invisible(dev.off())
  drawn <- tail(readBin("dg.part.png", "raw", file.size("dg.part.png")), 8) # R does not tell of a full disk
  if (!identical(head(drawn, 4), charToRaw("IEND")) || !file.rename("dg.part.png", "dg.png")) stop("dg.png was not written. Is the disk full?")
  cat(sprintf("dg.png: %d forks, %d plays\n", nrow(forks), sum(daily$plays)))
} else {
  cat("Nothing to draw: no whole week has plays.\n")
}

plays <- do.call(rbind, Map(\(id, from, to, count) {
  read(paste0("forks/", id), count, from = format(from), to = format(to), groupId = group)
}, shown$forkId, shown$from, shown$to, vapply(stats[!periods$hidden], \(s) s$plays, 1)))
attr(plays$startedAt, "tzone") <- attr(plays$completedAt, "tzone") <- zone

# Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
print(spec(plays))
cat(sprintf(
  "%d forks, %d plays, %d players, %d completed, average score %.2f\n",
  nrow(forks), nrow(plays), length(unique(plays$playerKey)), sum(plays$completed), mean(plays$scorePercent, na.rm = TRUE)
))
hours <- table(format(plays$startedAt, "%H"))
if (nrow(plays) > 0) cat(sprintf("most plays start at %s:00 (%s): %d\n", names(which.max(hours)), zone, max(hours)))
