<?php
$fork = "https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64";
$file = fopen("plays.part.csv", "wb");
$request = curl_init("$fork/exports/csv?from=2026-03-01&to=2026-03-02");
curl_setopt_array($request, [
    CURLOPT_HTTPHEADER => ["Authorization: Bearer " . getenv("DG_KEY")],
    CURLOPT_FAILONERROR => true,
    CURLOPT_FOLLOWLOCATION => true, // a redirect is an error
    CURLOPT_MAXREDIRS => 0,
    CURLOPT_FILE => $file,
]);
if (!curl_exec($request)) {
    fwrite(STDERR, curl_error($request) . "\n");
    exit(1);
}
fclose($file);
rename("plays.part.csv", "plays.csv");
