// Evaluates Power Query M: node powerquery.cjs plays.pq, where npm has installed @microsoft/powerquery-parser.
// It knows the expressions and functions that the recipe uses, and stops at any other. A query sees the body of a
// response and none of its headers: outside a custom connector Power Query shows only some of them.
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const pq = require('node:module').createRequire(`${process.cwd()}/`)('@microsoft/powerquery-parser');

// get sends a request. 429 and 503 are asked again up to three times, after Retry-After.
function get(address, headers, attempt = 0) {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const out = execFileSync('curl', ['-sS', '-i', address, ...lines], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const [, head, body] = /^(.*?)\r\n\r\n(.*)$/s.exec(out);
  const status = Number(head.split(' ')[1]);
  if ([429, 503].includes(status) && attempt < 3) {
    const seconds = Number(/^retry-after: *(\d+)/im.exec(head)?.[1] ?? 1);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000 * seconds);
    return get(address, headers, attempt + 1);
  }
  if (status !== 200) throw new Error(`DataSource.Error: ${status}`);
  return body;
}

const day = 86_400_000;
const types = {
  text: (cell) => (typeof cell === 'string' ? cell : check(undefined, cell)),
  'Int64.Type': (cell) => check(parseInt(cell, 10), cell),
  number: (cell) => check(Number(cell), cell),
  datetime: (cell) => (cell instanceof Date ? check(cell, cell) : check(undefined, cell)),
  date: (cell) => (cell instanceof Date && cell % day === 0 ? check(cell, cell) : check(undefined, cell)),
  logical: (cell) => check({ true: true, false: false }[cell], cell),
};
function check(value, cell) {
  if (value === undefined || Number.isNaN(Number(value))) throw new Error(`DataFormat.Error: ${cell}`);
  return value;
}
const library = {
  DG_KEY: process.env.DG_KEY, 'QuoteStyle.Csv': 1, 'Replacer.ReplaceValue': 'ReplaceValue', 'Int64.Type': 'Int64.Type',
  'Web.Contents': (url, { RelativePath, Query, Headers, ...other }) => {
    if (Object.keys(other).length > 0) throw new Error(`not known here: the options ${Object.keys(other)}`);
    return get(`${url}/${RelativePath}?${new URLSearchParams(Query)}`, Headers);
  },
  'Json.Document': JSON.parse,
  'Csv.Document': (text) => text.trimEnd().split('\n').map((line) => line.split(',')), // the demo has no quotes
  'Date.FromText': (text) => new Date(text),
  'Day.Sunday': 0, '#date': (year, month, day) => new Date(Date.UTC(year, month - 1, day)),
  '#duration': (days, hours, minutes, seconds) => (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000,
  'Date.Year': (date) => date.getUTCFullYear(),
  'Date.StartOfWeek': (date) => new Date(date - date.getUTCDay() * day), // weeks that begin on Sunday
  'DateTime.From': (date) => date, 'DateTimeZone.RemoveZone': (time) => time,
  'DateTimeZone.FromText': (text) => types.datetime(new Date(text)),
  'DateTimeZone.UtcNow': () => new Date(), 'DateTime.Date': (time) => new Date(Math.floor(time / day) * day),
  'Date.AddDays': (date, days) => new Date(date.getTime() + days * day),
  'Date.ToText': (date, { Format }) => (Format === 'yyyy-MM-dd' ? date.toISOString().slice(0, 10) : undefined),
  'List.Min': (list) => list.reduce((a, b) => (a < b ? a : b)),
  'Text.StartsWith': (text, start) => text.startsWith(start), 'List.Transform': (list, f) => list.map((item) => f(item)),
  'List.Select': (list, f) => list.filter((item) => f(item)), 'List.Combine': (lists) => lists.flat(),
  'List.Buffer': (list) => list, 'List.IsEmpty': (list) => list.length === 0, 'List.Contains': (list, item) => list.includes(item),
  'List.Generate': (initial, condition, next) => {
    const list = [];
    for (let item = initial(); condition(item); item = next(item)) list.push(item);
    return list;
  },
  'Table.FromRecords': (records) => ({ header: Object.keys(records[0]), rows: records.map((record) => Object.values(record)) }),
  'Table.TransformColumns': ({ header, rows }, columns) => ({ header, rows: rows.map((row) => row.map((cell, i) => {
    const [, f] = columns.find(([name]) => name === header[i]) ?? [];
    return f ? f(cell) : cell;
  })) }),
  'Table.PromoteHeaders': ([header, ...rows]) => ({ header, rows }),
  'Table.Combine': (tables) => ({ header: tables[0].header, rows: tables.flatMap(({ rows }) => rows) }),
  'Table.ReplaceValue': ({ header, rows }, old, value, _, columns) => ({ header,
    rows: rows.map((row) => row.map((cell, i) => (cell === old && columns.includes(header[i]) ? value : cell))) }),
  'Table.TransformColumnTypes': ({ header, rows }, columns) => {
    if (columns.some(([name]) => !header.includes(name))) throw new Error('a column is missing');
    const kinds = header.map((name) => types[Object.fromEntries(columns)[name]] ?? ((cell) => cell));
    const typed = (cell, i) => (cell === null ? null : kinds[i](cell));
    return { header, rows: rows.map((row) => row.map(typed)) };
  },
};

// scope adds names to those around it. What a name stands for is evaluated when it is read, once.
function scope(outer, entries) {
  const inner = Object.create(outer);
  for (const [name, value] of entries) {
    Object.defineProperty(inner, name, { enumerable: true, configurable: true, get() {
      const result = value(inner);
      Object.defineProperty(inner, name, { value: result });
      return result;
    } });
  }
  return inner;
}
const call = (parameters, body, env) => (...values) =>
  evaluate(body, scope(env, parameters.map((name, i) => [name, () => values[i]])));
const unary = { not: (value) => !value };
function field(record, name) {
  if (!(name in record)) throw new Error(`Expression.Error: no field ${name}`);
  return record[name];
}
const items = (csv) => csv.content.elements.map(({ node }) => node);
const binary = {
  '&': (a, b) => (typeof a === 'string' ? a + b : { ...a, ...b }),
  '+': (a, b) => (a instanceof Date ? new Date(a.getTime() + b) : a + b),
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
};
const expressions = {
  LetExpression: (n, env) => evaluate(n.expression,
    scope(env, n.variableList.elements.map(({ node }) => [node.key.literal, (inner) => evaluate(node.value, inner)]))),
  IfExpression: (n, env) => evaluate(evaluate(n.condition, env) ? n.trueExpression : n.falseExpression, env),
  LogicalExpression: (n, env) => (n.operatorConstant.constantKind === 'and'
    ? evaluate(n.left, env) && evaluate(n.right, env) : evaluate(n.left, env) || evaluate(n.right, env)),
  ErrorRaisingExpression: (n, env) => { throw new Error(`Expression.Error: ${evaluate(n.paired, env)}`); },
  EachExpression: (n, env) => call(['_'], n.paired, env),
  FunctionExpression: (n, env) => call(items(n.parameters).map((parameter) => parameter.name.literal), n.expression, env),
  FieldSelector: (n, env) => field(env._, n.content.literal), // of each's _
  UnaryExpression: (n, env) => n.operators.elements.reduceRight((value, { constantKind }) => unary[constantKind](value), evaluate(n.typeExpression, env)),
  ParenthesizedExpression: (n, env) => evaluate(n.content, env),
  ListExpression: (n, env) => items(n).map((item) => evaluate(item, env)),
  RecordExpression: (n, env) => Object.fromEntries(items(n).map(({ key, value }) => [key.literal, evaluate(value, env)])),
  LiteralExpression: (n) => ({ Text: (text) => text.slice(1, -1).replaceAll('""', '"'), Numeric: Number,
    Logical: (text) => text === 'true', Null: () => null })[n.literalKind](n.literal),
  TypePrimaryType: (n) => n.paired.primitiveTypeKind,
  IdentifierExpression: (n, env) => {
    if (!(n.identifier.literal in env)) throw new Error(`not known here: ${n.identifier.literal}`);
    return env[n.identifier.literal];
  },
  RecursivePrimaryExpression: (n, env) => n.recursiveExpressions.elements.reduce((value, next) => {
    if (next.kind === 'InvokeExpression') return value(...items(next).map((item) => evaluate(item, env)));
    return field(value, next.content.literal);
  }, evaluate(n.head, env)),
};
function evaluate(n, env) {
  if (expressions[n.kind]) return expressions[n.kind](n, env);
  const operator = binary[n.operatorConstant?.constantKind];
  if (!operator) throw new Error(`not known here: ${n.kind}`);
  return operator(evaluate(n.left, env), evaluate(n.right, env));
}

(async () => {
  const parsed = await pq.TaskUtils.tryLexParse(pq.DefaultSettings, readFileSync(process.argv[2], 'utf8'));
  if (!pq.TaskUtils.isParseStageOk(parsed)) throw parsed.error;
  const { Forks, Daily, Plays: { header, rows } } = evaluate(parsed.ast, library);
  const column = (name) => rows.map((row) => row[header.indexOf(name)]);
  const scores = column('scorePercent').filter((score) => score !== null);
  for (const fork of Forks.rows) if (fork.at(-1)) console.log(`${fork[1]}: hidden`);
  const days = Daily.rows.reduce((sum, [, , plays]) => sum + plays, 0);
  console.log(`by day: ${days} plays`);
  console.log(`${Forks.rows.length} forks, ${rows.length} plays, ${new Set(column('playerKey')).size} players, ${scores.length} completed, `
    + `average score ${(scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(2)}`);
  const hours = new Array(24).fill(0);
  for (const time of column('startedAt')) hours[time.getUTCHours()] += 1;
  console.log(`most plays start at ${hours.indexOf(Math.max(...hours))}:00: ${Math.max(...hours)}`);
})().catch((error) => { console.error(error.message); process.exit(1); });
