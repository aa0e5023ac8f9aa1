// For each kind of name: a change of what it stands for, and a page that says it.
import { changed, LOOP, loopOptions, named, red } from './self-test-cases.js';

const API = 'packages/host/src/http/routes.ts';
const CLI = 'packages/host/src/cli/program.ts';
const MIGRATIONS = 'packages/store/src/migrations.ts';

const program = (command: string, description: string, flag: string) =>
  `import { Command } from 'commander';\nconst program = new Command('bellhop');\nconst keys = program.command('keys');\n` +
  `keys.command('${command}').description('${description}').option('${flag}', 'which').action(run);\n`;
const migration = (table: string, column: string, index: string) =>
  `export const up = (schema) => [\n  schema.createTable('${table}', (table) => {\n    table.string('id').primary();\n    ${column}\n  }),\n  '${index}',\n];\n`;
const route = (path: string, summary: string) => `const list = createRoute({ method: 'post', path: '${path}', summary: '${summary}' });\n`;

export const namesCases = [
  red(
    'a field of an interface',
    named('`intervalMs`, a field of interface LoopOptions, changed in packages/loop/src/loop\\.ts:4'),
    changed(LOOP, loopOptions('number'), loopOptions('number | undefined'), 'Give it `intervalMs`.'),
  ),
  red(
    'the documentation of a field',
    named('`intervalMs`, a field of interface LoopOptions'),
    changed(
      LOOP,
      loopOptions('number'),
      loopOptions('number').replace('In milli', 'Default 500, in milli'),
      'Give it `{ intervalMs: 500 }`.',
    ),
  ),
  red(
    'a function',
    named('`runLoop`, a function, changed', 4),
    changed(LOOP, 'export function runLoop() { return 1; }\n', 'export function runLoop() { return 2; }\n', '```ts\nrunLoop();\n```'),
  ),
  red(
    'a method, by what it is called on',
    named('`DispatchLoop\\.stop`, a method of class DispatchLoop'),
    changed(
      LOOP,
      'export class DispatchLoop { stop() { return 1; } }\n',
      'export class DispatchLoop { stop() { return 2; } }\n',
      'Call `loop.stop()`.',
    ),
  ),
  red(
    'a string of a union',
    named('`in_flight`, a value of State, gone from'),
    changed(LOOP, "export type State = 'pending' | 'in_flight';\n", "export type State = 'pending' | 'sent';\n", 'It is `in_flight`.'),
  ),
  red(
    'an error code',
    named('`STORE_BUSY`, an error code'),
    changed(
      LOOP,
      "export const ERROR_CODES = { STORE_BUSY: 'Busy.' };\n",
      "export const ERROR_CODES = { STORE_BUSY: 'Locked.' };\n",
      'Then `STORE_BUSY` comes.',
    ),
  ),
  red(
    'an environment variable',
    named('`BELLHOP_API_KEY`, an environment variable'),
    changed(
      LOOP,
      "const key = variable('BELLHOP_API_KEY', 'no');\n",
      "const key = variable('BELLHOP_API_KEY', 'yes');\n",
      'Set `BELLHOP_API_KEY=x`.',
    ),
  ),
  red(
    'a metric',
    named('`bellhop_http_requests_total`, a metric'),
    changed(
      LOOP,
      "new Counter({ name: 'bellhop_http_requests_total', help: 'Requests.' });\n",
      "new Counter({ name: 'bellhop_http_requests_total', help: 'Requests.', labelNames: ['route'] });\n",
      'Watch `rate(bellhop_http_requests_total[5m])`.',
    ),
  ),
  red(
    'an option that a schema checks',
    named('`poolSize`, a field of schema optionsSchema'),
    changed(
      LOOP,
      'const optionsSchema = z.strictObject({ poolSize: z.int() });\n',
      'const optionsSchema = z.strictObject({ poolSize: z.int().max(9) });\n',
      'Raise `poolSize`.',
    ),
  ),
  red(
    'a table',
    named('`inbox_message`, a table'),
    changed(
      MIGRATIONS,
      'const read = `SELECT id FROM inbox_message`;\n',
      'const read = `SELECT id FROM inbox_message LIMIT 1`;\n',
      'It is in `inbox_message`.',
    ),
  ),
  red(
    'a column',
    named('`due_at`, a column of table delivery'),
    changed(
      MIGRATIONS,
      migration('delivery', "table.integer('due_at');", 'CREATE INDEX delivery_due ON delivery (due_at)'),
      migration('delivery', "table.bigInteger('due_at');", 'CREATE INDEX delivery_due ON delivery (due_at)'),
      'Sorted by `due_at`.',
    ),
  ),
  red(
    'an index',
    named('`delivery_due`, an index'),
    changed(
      MIGRATIONS,
      migration('delivery', "table.integer('due_at');", 'CREATE INDEX delivery_due ON delivery (due_at)'),
      migration('delivery', "table.integer('due_at');", 'CREATE INDEX delivery_due ON delivery (due_at, id)'),
      'It walks `delivery_due`.',
    ),
  ),
  red(
    'a route, in another notation',
    named('`POST /v1/inbox/\\{userId\\}/read`, a route'),
    changed(
      API,
      route('/v1/inbox/{userId}/read', 'Marks'),
      route('/v1/inbox/{userId}/read', 'Marks messages read'),
      '`POST /v1/inbox/:userId/read` does.',
    ),
  ),
  red(
    'a command, among its siblings',
    named('`bellhop keys revoke`, a command'),
    changed(
      CLI,
      program('revoke', 'ends a key', '--now'),
      program('revoke', 'ends a key at once', '--now'),
      'Say `bellhop keys list|revoke`.',
    ),
  ),
  red(
    'an option of the command line',
    named('`--label`, an option of the command line, gone from'),
    changed(CLI, program('create', 'a key', '--label <text>'), program('create', 'a key', '--name <text>'), 'Say `keys list --label x`.'),
  ),
  red(
    'a script',
    named('`npm run build`, a script of package\\.json'),
    changed('package.json', '{ "scripts": { "build": "tsc" } }\n', '{ "scripts": { "build": "tsc -b" } }\n', '`npx pnpm run build` first.'),
  ),
];
