# Reads every play of a fork into typed objects. PowerShell 7.4 or later.
# Before: $env:DG_KEY = Read-Host -MaskInput
$url = 'https://dg.example.org'
$fork = '60772820-1226-4be5-b50f-c2adbe3dca64'
$from, $to = [datetime]'2024-01-01', [datetime]'2026-03-31'
$group = '' # such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players

function Get-Dg([string]$Path, [hashtable]$Query) {
    foreach ($attempt in 1..8) {
        $answer = Invoke-WebRequest -Uri "$url$Path" -Body $Query -SkipHttpErrorCheck -Headers @{ Authorization = "Bearer $env:DG_KEY" }
        if ($answer.StatusCode -in 429, 503) { # too many requests, or busy
            $wait = "$($answer.Headers['Retry-After'])"
            Start-Sleep -Seconds ($wait ? [int]$wait : 5)
            continue
        }
        if ($answer.StatusCode -ne 200) { throw "$($answer.Content)" }
        if ("$($answer.Headers['RateLimit'])" -match 'r=0;t=(\d+)') { Start-Sleep -Seconds ([int]$Matches[1]) }
        return $answer
    }
    throw 'The service is still busy after 8 attempts.'
}

$number = [cultureinfo]::InvariantCulture
$utc = [System.Globalization.DateTimeStyles]'AssumeUniversal, AdjustToUniversal'
$plays = for ($first = $from; $first -le $to; $first = $first.AddDays(366)) { # windows of at most 366 days
    $last = if ($first.AddDays(365) -lt $to) { $first.AddDays(365) } else { $to }
    $query = @{ from = $first.ToString('yyyy-MM-dd', $number); to = $last.ToString('yyyy-MM-dd', $number) }
    if ($group) { $query.groupId = $group }
    $answer = Get-Dg "/api/v1/forks/$fork/exports/csv" $query
    if ($answer.Headers['X-DG-Report-Suppressed']) {
        throw "$($query.from) to $($query.to): hidden, fewer than 5 members of the group played. This is not zero."
    }
    ConvertFrom-Csv $answer.Content | ForEach-Object {
        [pscustomobject]@{
            playId          = $_.playId
            playerKey       = $_.playerKey
            playerLabel     = $_.playerLabel
            startedAt       = [datetime]::Parse($_.startedAt, $number, $utc)
            completedAt     = $_.completedAt ? [datetime]::Parse($_.completedAt, $number, $utc) : $null
            durationSeconds = $_.durationSeconds ? [int]$_.durationSeconds : $null
            completed       = $_.completed -eq 'true'
            scorePercent    = $_.scorePercent ? [decimal]::Parse($_.scorePercent, $number) : $null
            passed          = $_.passed ? $_.passed -eq 'true' : $null
        }
    }
}

# Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
$mean = ($plays | Where-Object completed | Measure-Object scorePercent -Average).Average
"{0} plays, {1} players, average score {2:N2}" -f @($plays).Count, @($plays.playerKey | Select-Object -Unique).Count, $mean
