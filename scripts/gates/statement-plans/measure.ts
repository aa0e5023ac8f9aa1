// Runs every hot statement in every world that concerns it, among few rows and among many. It judges nothing.
import type { HotStatement, PluginStatements, World } from './hot-statement.js';
import { LARGE, SMALL } from './limits.js';
import type { DatabaseUnderTest, Figure, WorldBench } from './world-bench.js';

export interface Measurement {
  readonly plugin: PluginStatements;
  readonly hot: HotStatement;
  readonly world: string;
  readonly family: DatabaseUnderTest['family'];
  readonly mode: string;
  /** Among `SMALL` rows of the adversity, and among `LARGE`; the words of the error where the statement failed. */
  readonly few: Figure | string;
  readonly many: Figure | string;
}

export async function measureAll(database: DatabaseUnderTest, plugins: readonly PluginStatements[]): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const world of plugins.flatMap(({ worlds }) => worlds)) {
    const concerned = plugins.flatMap((plugin) => plugin.hot.filter((hot) => concerns(hot, world)).map((hot) => ({ plugin, hot })));
    if (concerned.length === 0) continue;
    const few = await measureWorld(database, world, SMALL, concerned);
    const many = await measureWorld(database, world, LARGE, concerned);
    for (const [at, { plugin, hot, mode }] of modesOf(database, concerned).entries()) {
      measured.push({ plugin, hot, mode, world: world.name, family: database.family, few: few[at]!, many: many[at]! });
    }
  }
  return measured;
}

interface Concerned {
  readonly plugin: PluginStatements;
  readonly hot: HotStatement;
}

function modesOf(database: DatabaseUnderTest, concerned: readonly Concerned[]): (Concerned & { readonly mode: string })[] {
  return database.modes.flatMap((mode) => concerned.map((one) => ({ ...one, mode })));
}

async function measureWorld(
  database: DatabaseUnderTest,
  world: World,
  scale: number,
  concerned: readonly Concerned[],
): Promise<(Figure | string)[]> {
  const bench = await database.open(world, scale);
  try {
    const figures: (Figure | string)[] = [];
    for (const { hot, mode } of modesOf(database, concerned)) figures.push(await figureOf(bench, hot, mode));
    return figures;
  } finally {
    await bench.close();
  }
}

async function figureOf(bench: WorldBench, { statement, params }: HotStatement, mode: string): Promise<Figure | string> {
  try {
    return await bench.measure(statement, params, mode);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** In the worlds that it names; else in those that fill its table. */
export function concerns({ statement, worlds }: HotStatement, world: World): boolean {
  return worlds ? worlds.includes(world.name) : statement.table === world.table;
}
