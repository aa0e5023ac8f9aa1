// The gate over the real statements and schema, each time with one thing spoiled: on both families, in the worlds that show it.
import type { Statement } from '../../../packages/contracts/src/index.js';
import type { ExitCode } from '../framework/exit-codes.js';
import type { Gate, SelfTestCase } from '../framework/gate.js';
import { runGate } from '../framework/run-gate.js';
import type { StatementPlansSetup } from '../statement-plans.js';
import type { Definition } from './definitions.js';
import type { HotStatement, PluginStatements } from './hot-statement.js';
import { messaging } from './messaging.js';
import { postgresDatabase } from './postgres-database.js';
import { sqliteDatabase } from './sqlite-database.js';

type MakeGate = (setup: StatementPlansSetup, selfTest: Gate['selfTest']) => Gate;

/** One statement and one world: the claim, behind a backlog that is due later. */
const CLAIM = messaging.hot.find(({ title }) => title === 'claim')!;
const LATER = messaging.worlds.find(({ name }) => name === 'due later')!;
const CLAIM_INDEX = 'notification_delivery_claim';

const claimOnly: PluginStatements = { ...messaging, hot: [CLAIM], worlds: [LATER], cold: [] };
const claimDefinition: Definition = {
  name: CLAIM.definition,
  file: CLAIM.definition.replace(/#.*/, ''),
  line: 1,
  label: CLAIM.statement.label,
};

/** The plugin as a deployment would have it whose migration forgot the index. */
const withoutIndex: PluginStatements = {
  ...claimOnly,
  migrations: messaging.migrations.map((set) => ({
    ...set,
    migrations: [
      ...set.migrations,
      { number: set.migrations.length + 1, name: 'forget an index', kind: 'additive', up: () => [`DROP INDEX ${CLAIM_INDEX}`] },
    ],
  })),
};

/** As before the channel came first. Postgres passes the entries of other channels by within the index, where no count of rows shows them. */
const channelLast: PluginStatements = {
  ...claimOnly,
  worlds: [messaging.worlds.find(({ name }) => name === 'due elsewhere')!],
  migrations: messaging.migrations.map((set) => ({
    ...set,
    migrations: [
      ...set.migrations,
      {
        number: set.migrations.length + 1,
        name: 'put the channel last',
        kind: 'additive',
        up: () => [
          `DROP INDEX ${CLAIM_INDEX}`,
          `CREATE INDEX ${CLAIM_INDEX} ON notification_delivery (due_at, id, slot, channel) WHERE status = 'pending' AND digest_key IS NULL`,
        ],
      },
    ],
  })),
};

const withClaim = (change: Partial<HotStatement>): PluginStatements => ({ ...claimOnly, hot: [{ ...CLAIM, ...change }] });

function rewritten(statement: Statement, from: RegExp, to: string): Statement {
  const rewrite = (sql: string) => {
    if (!from.test(sql)) throw new Error(`${statement.label} does not hold ${from}: the case shows nothing`);
    return sql.replaceAll(new RegExp(from, 'g'), to);
  };
  return { ...statement, sql: { sqlite: rewrite(statement.sql.sqlite), postgres: rewrite(statement.sql.postgres) } };
}

/** A machine without the commands that a server is prepared and started by. */
const withoutCommands: typeof postgresDatabase = async (plugins) => {
  const path = process.env.PATH;
  process.env.PATH = '';
  try {
    return await postgresDatabase(plugins);
  } finally {
    process.env.PATH = path;
  }
};

export function selfTestCases(makeGate: MakeGate): readonly SelfTestCase[] {
  const both = [sqliteDatabase, postgresDatabase];
  const statementCase = (
    name: string,
    expect: ExitCode,
    setup: Partial<StatementPlansSetup>,
    ...says: readonly RegExp[]
  ): SelfTestCase => ({
    name,
    expect,
    async run({ checkout }) {
      const gate = makeGate({ plugins: [claimOnly], databases: both, definitions: () => [claimDefinition], ...setup }, []);
      const lines: string[] = [];
      const code = await runGate(gate, { root: checkout.root, args: [], print: (line) => lines.push(line), environment: {} });
      const output = lines.join('\n');
      for (const pattern of says) if (!pattern.test(output)) throw new Error(`the gate did not say ${pattern}, but:\n${output}`);
      return { code, output };
    },
  });
  return [
    statementCase('the claim as it is, on both families', 0, {}, /sqlite {2,}claim/, /postgres {2,}claim/),
    statementCase(
      'the claim without its index, on both families',
      1,
      { plugins: [withoutIndex] },
      /claim on sqlite .*: visits \d+ steps among 100000/,
      /claim on postgres .*: visits \d+ rows among 100000/,
    ),
    statementCase(
      'an index whose order does not serve the claim, on both families',
      1,
      { plugins: [channelLast] },
      /claim on sqlite .*: visits \d+ steps among 100000/,
      /claim on postgres .*: visits \d+ pages among 100000/,
    ),
    statementCase(
      'a predicate that defeats the index, on both families',
      1,
      {
        plugins: [
          withClaim({
            statement: rewritten(
              CLAIM.statement,
              /status = 'pending' AND digest_key IS NULL/,
              `status || '' = 'pending' AND digest_key IS NULL`,
            ),
          }),
        ],
      },
      /claim on sqlite .*: visits/,
      /claim on postgres .*: visits/,
    ),
    statementCase('the same, under a limit of its own that is argued for', 0, {
      plugins: [
        withClaim({
          statement: rewritten(
            CLAIM.statement,
            /status = 'pending' AND digest_key IS NULL/,
            `status || '' = 'pending' AND digest_key IS NULL`,
          ),
          own: { reason: 'the case', rows: ({ scale }) => 20 * scale, growth: 1_000 },
        }),
      ],
    }),
    statementCase(
      'a statement that finds nothing',
      1,
      { plugins: [withClaim({ params: { ...CLAIM.params, now: 0 } })], databases: [sqliteDatabase] },
      /finds 0 rows of 32 among 1000: its visits prove nothing/,
    ),
    statementCase(
      'a statement that fails',
      1,
      { plugins: [withClaim({ statement: rewritten(CLAIM.statement, /FROM/, 'FORM') })], databases: [sqliteDatabase] },
      /claim on sqlite .* fails: /,
    ),
    statementCase(
      'a statement that is neither hot nor cold',
      1,
      {
        definitions: () => [claimDefinition, { name: 'packages/x/src/y.ts#z', file: 'packages/x/src/y.ts', line: 7, label: 'x' }],
        databases: [],
      },
      /packages\/x\/src\/y\.ts:7: .*nobody measures/,
    ),
    statementCase(
      'an entry for a statement that is not there',
      1,
      { plugins: [withClaim({ definition: 'packages/x/src/y.ts#gone' })], databases: [] },
      /there is no statement packages\/x\/src\/y\.ts#gone/,
    ),
    statementCase(
      'an entry that measures another statement than it names',
      1,
      { plugins: [withClaim({ statement: { ...CLAIM.statement, label: 'other' } })], databases: [] },
      /is labelled outbox\.claim, what is measured other/,
    ),
    statementCase(
      'a statement that is cold and hot',
      1,
      { plugins: [{ ...claimOnly, cold: [{ definition: CLAIM.definition, reason: 'the case' }] }], databases: [] },
      /listed as cold and as hot/,
    ),
    statementCase('a world that is not there', 1, { plugins: [withClaim({ worlds: ['nowhere'] })], databases: [] }, /no world nowhere/),
    statementCase('an entry that is run in no world', 1, { plugins: [{ ...claimOnly, worlds: [] }], databases: [] }, /is run in no world/),
    statementCase('a title twice', 1, { plugins: [{ ...claimOnly, hot: [CLAIM, CLAIM] }], databases: [] }, /the title of two entries/),
    statementCase('no server', 3, { databases: [sqliteDatabase, withoutCommands] }, /NOT MEASURED: Postgres: /, /sqlite {2,}claim/),
    statementCase(
      'no server, and a finding on the other family',
      1,
      { plugins: [withoutIndex], databases: [sqliteDatabase, withoutCommands] },
      /NOT MEASURED: Postgres: /,
      /claim on sqlite .*: visits/,
    ),
  ];
}
