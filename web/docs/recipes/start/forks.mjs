const headers = { Authorization: `Bearer ${process.env.DG_KEY}` };
const answer = await fetch('https://dg.example.org/api/v1/forks', { headers });
console.log(await answer.text());
