import type { SqlFamily, WakeSql } from '@bellhop/contracts';
import { gatePassing } from '../gate.js';

/** Whether a text is in a column's JSON list of texts. */
function inList(family: SqlFamily, list: string, text: string): string {
  return family === 'postgres'
    ? `jsonb_exists(${list}::jsonb, ${text})`
    : `EXISTS (SELECT 1 FROM json_each(${list}) WHERE value = ${text})`;
}

/**
 * The conditions under which a wake reaches somebody. The dispatcher's choice of hooks and the stall plugin's receiver filter are made of these:
 * two texts that differ would spend nudges on wakes that nobody delivers.
 */
export function wakeSql(family: SqlFamily): WakeSql {
  const endpointLive = (endpoint: string, now: string) =>
    `${endpoint}.state = 'active' AND (${endpoint}.expires_at IS NULL OR ${endpoint}.expires_at > ${now})`;
  const inScope = (endpoint: string, queue: string) => inList(family, `${endpoint}.queues`, queue);
  const hookCovers = (hook: string, queue: string) =>
    `${hook}.enabled = 1 AND (${hook}.queues = '[]' OR ${inList(family, `${hook}.queues`, queue)})`;
  return {
    gatePassing,
    endpointLive,
    inScope,
    hookCovers,
    deliverable: (endpoint, queue, now) =>
      `${endpointLive(endpoint, now)} AND ${inScope(endpoint, queue)} AND (
        SELECT 1 FROM board_notify_hook AS h WHERE h.endpoint_id = ${endpoint}.id AND ${hookCovers('h', queue)} LIMIT 1) IS NOT NULL`,
  };
}
