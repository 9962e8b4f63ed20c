suppressMessages(library(readr))
d <- suppressWarnings(read_csv(commandArgs(TRUE)[1], lazy = FALSE, col_types = cols(
  playId = "c", forkId = "c", releaseNumber = "i", playerKey = "c", playerLabel = "c", startedAt = "T", completedAt = "T",
  durationSeconds = "i", completed = "l", scorePercent = "d", passed = "l", skills = "c")))
cat(nrow(d), length(unique(d$playerKey)), sum(d$durationSeconds, na.rm = TRUE), sum(d$completed), sum(d$passed, na.rm = TRUE),
  sprintf("%.2f", sum(d$scorePercent, na.rm = TRUE)), sum(is.na(d$completedAt)), sep = " ")
