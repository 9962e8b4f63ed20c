const headers = { Authorization: `Bearer ${process.env.DG_KEY}` };
const answer = await fetch('https://dg.example.org/api/v1/forks', { headers, redirect: 'error' });
console.log(await answer.text());
