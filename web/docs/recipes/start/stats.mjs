const headers = { Authorization: `Bearer ${process.env.DG_KEY}` };
const fork = 'https://dg.example.org/api/v1/forks/60772820-1226-4be5-b50f-c2adbe3dca64';
const answer = await fetch(`${fork}/stats?from=2026-03-01&to=2026-03-02`, { headers, redirect: 'error' });
console.log(await answer.text());
