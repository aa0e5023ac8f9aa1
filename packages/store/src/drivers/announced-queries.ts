import type { Knex } from 'knex';
import type { DriverMeter } from '../statement-meter.js';

/** Counts the builder's queries of a knex that is not ours: they reach the driver without us, but knex announces them. @returns what ends it. */
export function countAnnounced(knex: Knex, meter: DriverMeter): () => void {
  const count = ({ sql }: { sql: string }) => meter.countSql(sql, 0);
  knex.on('query', count);
  return () => knex.removeListener('query', count);
}
