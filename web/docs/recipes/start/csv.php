<?php
function stop(string $says): never
{
    fwrite(STDERR, "$says\n");
    exit(1);
}

$key = trim(getenv("DG_KEY"), "\xEF\xBB\xBF \t\r\n");
preg_match('/^dg_live_\w+$/D', $key) || stop("DG_KEY must be one key, without quotes.");
$fork = "https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64";
$file = @fopen("plays.part.csv", "wb") ?: stop("plays.part.csv cannot be written here.");
putenv("no_proxy=localhost,127.0.0.1,::1," . (getenv("no_proxy") ?: getenv("NO_PROXY"))); // no proxy may see the unencrypted key
$request = curl_init("$fork/exports/csv?from=2026-03-01&to=2026-03-02");
curl_setopt_array($request, [
    CURLOPT_HTTPHEADER => ["Authorization: Bearer $key"],
    CURLOPT_ENCODING => "", // as curl can read it
    CURLOPT_FAILONERROR => true,
    CURLOPT_FOLLOWLOCATION => true, // a redirect is an error
    CURLOPT_MAXREDIRS => 0,
    CURLOPT_LOW_SPEED_LIMIT => 1,
    CURLOPT_LOW_SPEED_TIME => 60,
    CURLOPT_FILE => $file,
]);
curl_exec($request) || stop(curl_error($request));
$whole = curl_getinfo($request, CURLINFO_RESPONSE_CODE) === 200 && fclose($file);
$whole = $whole && file_get_contents("plays.part.csv", length: 7) === "playId,"
    && file_get_contents("plays.part.csv", offset: filesize("plays.part.csv") - 1) === "\n";
$whole || stop("This is no whole export.");
rename("plays.part.csv", "plays.csv") || stop("plays.csv is as it was.");
