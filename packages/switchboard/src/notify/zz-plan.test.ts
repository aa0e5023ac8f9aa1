import { expect, it } from 'vitest';
import { boardDatabase, seedEndpoint, seedTodo } from '../stores/board-stores.fixture.js';
import { chargeHeartbeat, findDueRing, chargeAttachRings, readPending } from '../sql/doorbell.js';
import { findWakeHooks, readDelivery } from './../sql/read-wakes.js';
it.each(['sqlite', 'postgres'] as const)('plan %s', async (name) => {
  const b = await boardDatabase(name);
  for (let i = 0; i < 30; i++) {
    const e = await seedEndpoint(b.store);
    if (name === 'postgres')
      await b.store.knex.raw(`INSERT INTO board_todo (id,organization_id,endpoint_id,queue,state,gate,moved_by,source,title,attempt,max_attempts,attempts_total,ring_attempts,created_at,pending_since,updated_at,payload) SELECT 'td_'||?||g,'default',?, 'work','pending',1,'m','operator','t',0,5,0,0,g,g,g,'{}' FROM generate_series(1,2000) g`, [i, e.id]);
    else
      await b.store.knex.raw(`INSERT INTO board_todo (id,organization_id,endpoint_id,queue,state,gate,moved_by,source,title,attempt,max_attempts,attempts_total,ring_attempts,created_at,pending_since,updated_at,payload) WITH RECURSIVE s(g) AS (SELECT 1 UNION ALL SELECT g+1 FROM s WHERE g<2000) SELECT 'td_'||?||'_'||g,'default',?, 'work','pending',1,'m','operator','t',0,5,0,0,g,g,g,'{}' FROM s`, [i, e.id]);
  }
  await b.store.knex.raw('ANALYZE');
  const ids = (await b.store.knex('board_endpoint').select('id')).map((r) => r.id);
  const params = { endpoints: JSON.stringify(ids.slice(0, 10)), now: b.clock.now(), limit: 3, endpointId: ids[0], queue: 'work', queues: '["work"]', todoId: 'td_x', hookId: 'h' };
  for (const s of [chargeHeartbeat, findDueRing, chargeAttachRings, readPending, findWakeHooks, readDelivery]) {
    const st = { ...s, label: 'x', operation: 'select' as const, sql: { sqlite: `EXPLAIN QUERY PLAN ${s.sql.sqlite}`, postgres: `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, BUFFERS) ${s.sql.postgres}` } };
    const rows = await b.store.read<Record<string, string>>(st, params);
    console.log(s.label + '\n' + rows.map((r) => r['detail'] ?? r['QUERY PLAN']).join('\n'));
  }
  await b.database.drop();
  expect(1).toBe(1);
});
