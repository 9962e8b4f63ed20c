const rows = require('papaparse').parse(require('fs').readFileSync(process.argv[2], 'utf8'), {header: true, dynamicTyping: true, skipEmptyLines: true}).data;
const sum = (of) => rows.reduce((all, row) => all + (of(row) || 0), 0);
console.log(rows.length, new Set(rows.map((r) => r.playerKey)).size, sum((r) => r.durationSeconds), sum((r) => +(r.completed === true)),
  sum((r) => +(r.passed === true)), sum((r) => r.scorePercent).toFixed(2), sum((r) => +(r.completedAt === null)));
