# Reads all forks into three lists of objects, $forks, $daily and $plays, joined by forkId, and draws them in the terminal.
#Requires -Version 7.4
# Before: $env:DG_KEY = Read-Host -MaskInput. Run: ./dg.ps1
$ErrorActionPreference = 'Stop'
$url = 'https://dg.example.org'
$from = [datetime]'2025-04-01' # the first UTC day; the last is today
$fork = '' # such as 60772820-1226-4be5-b50f-c2adbe3dca64; empty for all forks
$group = '' # such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty for all players

if ($url -notmatch '^(https://|http://(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(/|$))') { throw 'url must begin with https://' }

$key = "$env:DG_KEY".Trim([char[]]" `t`r`n$([char]0xFEFF)")
if ($key -notmatch '\Adg_live_[0-9A-Za-z_]+\z') { throw 'DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes.' }

function Get-Dg([string]$Path, [hashtable]$Query = @{}) {
    foreach ($attempt in 1..8) {
        $answer = Invoke-WebRequest -Uri "$url/api/v1/forks$Path" -Body $Query -NoProxy:($url -like 'http:*') -SkipHttpErrorCheck -MaximumRedirection 0 -OperationTimeoutSeconds 60 -Headers @{ Authorization = "Bearer $key" }
        if ($answer.StatusCode -in 429, 503 -and $attempt -lt 8) { # too many requests, or busy
            $wait = "$($answer.Headers['Retry-After'])"
            $date = $wait -as [datetimeoffset] # $wait has seconds, or a date within an hour. Anything else means five seconds
            $seconds = $date ? ($date - [datetimeoffset]::UtcNow).TotalSeconds : -1
            if ($seconds -lt 0 -or $seconds -gt 3600) { $seconds = 5 }
            Start-Sleep -Seconds ($wait -match '^\d{1,4}(\.\d+)?$' ? [double]$wait : $seconds)
            continue
        }
        if ($answer.StatusCode -ne 200) { # removes control characters, and the key, which a gateway may repeat
            $text = "$($answer.Content)".Replace($key, '…') -replace '\p{C}'
            throw "$($answer.StatusCode) $($text.Substring(0, [Math]::Min(500, $text.Length)))"
        }
        if ("$($answer.Headers['Content-Type'])" -notmatch '^(application/json|text/csv)') { throw 'The answer is not from the service: is a proxy or a sign-in page in between?' }
        if ("$($answer.Headers['RateLimit'])" -match 'r=0;t=(\d+)') { Start-Sleep -Seconds ([int]$Matches[1]) }
        return $answer.Content
    }
}

# The rows of an export, as many as there are plays. If the numbers differ, the export is read again: a play may have come in between.
function Get-Rows($Part) {
    foreach ($attempt in 1, 2) {
        $text = Get-Dg "/$($Part.id)/exports/csv" $Part.query
        if (-not "$text".StartsWith('playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,', 'Ordinal') -or $text[-1] -ne "`n") { break }
        $rows = @(ConvertFrom-Csv $text)
        if ($rows.Count -eq $Part.plays -and -not ($rows | Where-Object { $null -eq $_.skills })) { return $rows }
        $stats = ConvertFrom-Json (Get-Dg "/$($Part.id)/stats" $Part.query)
        $Part.plays = $stats.suppressed ? -1 : $stats.plays # a group hidden meanwhile has no count
    }
    throw "$($Part.id): rows are missing or cut, or the answer is no export."
}

$number = [cultureinfo]::InvariantCulture
$utc = [System.Globalization.DateTimeStyles]'AssumeUniversal, AdjustToUniversal'
$today = [datetime]::UtcNow.Date
$forks = @((ConvertFrom-Json (Get-Dg '')).items | Where-Object { -not $fork -or $_.id -eq $fork } |
    Select-Object @{ n = 'forkId'; e = { $_.id } }, *, @{ n = 'createdAt'; e = { $_.createdAt.ToLocalTime() } },
        @{ n = 'updatedAt'; e = { $_.updatedAt.ToLocalTime() } }, @{ n = 'hidden'; e = { $false } } -ExcludeProperty id, createdAt, updatedAt)
$shown = [System.Collections.Generic.List[object]]::new()
$daily = @(foreach ($f in $forks) {
    for ($first = $from; $first -le $today; $first = $first.AddDays(366)) { # periods of at most 366 days
        $last = if ($first.AddDays(365) -lt $today) { $first.AddDays(365) } else { $today }
        $query = @{ from = $first.ToString('yyyy-MM-dd', $number); to = $last.ToString('yyyy-MM-dd', $number) }
        if ($group) { $query.groupId = $group }
        $stats = ConvertFrom-Json (Get-Dg "/$($f.forkId)/stats" $query)
        if ($stats.suppressed) {
            $f.hidden = $true
            Write-Warning "$($f.title), $($query.from) to $($query.to): hidden, fewer than 5 members of the group played. This is not zero."
            continue
        }
        $shown.Add(@{ id = $f.forkId; query = $query; plays = $stats.plays })
        foreach ($d in $stats.daily) {
            $day = [datetime]$d.date
            [pscustomobject]@{ forkId = $f.forkId; title = $f.title; date = $day; plays = $d.plays; avgScorePercent = $d.plays ? $d.avgScorePercent : $null; monday = $day.AddDays(-(([int]$day.DayOfWeek + 6) % 7)) }
        }
    }
})
if (-not $shown.Count) { throw 'Nothing is shown: check the first day, the fork and the group.' }

# The chart, before the plays are read: plays of each fork by week (UTC). The first and last week, which may be incomplete, are left out.
$mondays = @($daily.monday | Sort-Object -Unique | Select-Object -Skip 1 | Select-Object -SkipLast 1)
$rows = $daily | Group-Object forkId | ForEach-Object {
    $weeks = @{}
    foreach ($d in $_.Group) { $weeks[$d.monday] += $d.plays }
    [pscustomobject]@{ title = $_.Group[0].title; plays = ($_.Group | Measure-Object plays -Sum).Sum; weeks = @($mondays | ForEach-Object { $weeks[$_] }) }
}
$most = ($rows.weeks | Measure-Object -Maximum).Maximum
if (-not $most) { 'Nothing to draw: no whole week has plays.' } else { foreach ($row in $rows | Sort-Object plays -Descending) {
    $bars = -join ($row.weeks | ForEach-Object { $null -eq $_ ? ' ' : '▁▂▃▄▅▆▇█'[[int][Math]::Ceiling(7 * $_ / $most)] }) # a hidden week is a gap
    '{0,-34} {1,7}  {2}' -f $row.title, $row.plays, $bars
} }

$plays = @(foreach ($s in $shown) {
    Get-Rows $s | ForEach-Object {
        [pscustomobject]@{
            playId          = $_.playId
            forkId          = $_.forkId
            releaseNumber   = $_.releaseNumber ? [int]$_.releaseNumber : $null
            playerKey       = $_.playerKey
            playerLabel     = $_.playerLabel
            startedAt       = [datetime]::Parse($_.startedAt, $number, $utc).ToLocalTime()
            completedAt     = $_.completedAt ? [datetime]::Parse($_.completedAt, $number, $utc).ToLocalTime() : $null
            durationSeconds = $_.durationSeconds ? [long]$_.durationSeconds : $null
            completed       = $_.completed -eq 'true'
            scorePercent    = $_.scorePercent ? [decimal]::Parse($_.scorePercent, $number) : $null
            passed          = $_.passed ? $_.passed -eq 'true' : $null
            skills          = $_.skills
        }
    }
})

# Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
$mean = ($plays | Where-Object completed | Measure-Object scorePercent -Average).Average
'{0} forks, {1} plays, {2} players, average score {3:N2}' -f $forks.Count, $plays.Count, @($plays.playerKey | Select-Object -Unique).Count, $mean
