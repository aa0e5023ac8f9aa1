import { describe, expect, it } from 'vitest';
import { defineStatement } from '../define-statement.js';
import { DriverMeter } from '../statement-meter.js';
import type { Row } from './driver.js';
import { ReadConnection } from './read-connection.js';

const statement = defineStatement({ label: 'note.read', operation: 'select', table: 'note', sql: 'SELECT id FROM note' });
const step = { statement, params: {} };
const busy = () => Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
const all = async (rows: Iterable<Row>) => [...rows];

/** Connections that answer by the script of each read, and note what is done to them. */
function scripted(reads: (() => Row | undefined)[][]) {
  const acts: string[] = [];
  const meter = new DriverMeter();
  const open = () => {
    acts.push('open');
    return {
      iterate() {
        const script = reads.shift() ?? [];
        acts.push('iterate');
        return {
          next(): IteratorResult<Row> {
            const value = script.shift()?.();
            return value ? { value } : { done: true, value: undefined };
          },
          return() {
            acts.push('return');
            return { done: true as const, value: undefined };
          },
        };
      },
      close: () => acts.push('close'),
    };
  };
  return { acts, meter, connection: new ReadConnection(open, { meter, busyTimeoutMs: 1_000 }) };
}

const row = (id: number) => () => ({ id });
const locked = () => {
  throw busy();
};

describe('the read connection', () => {
  it('is opened with the first read, kept for the next, and ends every statement', async () => {
    const { acts, connection, meter } = scripted([[row(1), row(2)], [row(3)]]);
    expect(acts).toEqual([]);
    expect(await connection.read(step, all)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await connection.read(step, all)).toEqual([{ id: 3 }]);
    connection.close();
    expect(acts).toEqual(['open', 'iterate', 'return', 'iterate', 'return', 'close']);
    expect(meter.snapshot().byLabel).toEqual({ 'note.read': { statements: 2, rows: 3 } });
  });

  it('that meets a lock at the first row is replaced, and the read begun again', async () => {
    const { acts, connection, meter } = scripted([[locked], [locked], [row(1)]]);
    expect(await connection.read(step, all)).toEqual([{ id: 1 }]);
    expect(acts).toEqual(['open', 'iterate', 'close', 'open', 'iterate', 'close', 'open', 'iterate', 'return']);
    expect(meter.snapshot().statements).toBe(1);
  });

  it('does not begin again once a row was handed out', async () => {
    const { acts, connection } = scripted([[row(1), locked], [row(2)]]);
    await expect(connection.read(step, all)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    expect(acts).toEqual(['open', 'iterate', 'return']);
    expect(await connection.read(step, all)).toEqual([{ id: 2 }]);
  });

  it('ends the statement of a read that was given up before its first row', async () => {
    const { acts, connection } = scripted([[row(1)]]);
    await expect(connection.read(step, () => Promise.reject(new Error('too late')))).rejects.toThrow('too late');
    expect(acts).toEqual(['open', 'iterate', 'return']);
  });

  it('serves one read at a time (control: the second begins when the first has ended)', async () => {
    const { acts, connection } = scripted([[row(1)], [row(2)]]);
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = connection.read(step, () => held);
    const second = connection.read(step, all);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(acts).toEqual(['open', 'iterate']);
    finish();
    await first;
    expect(await second).toEqual([{ id: 2 }]);
    expect(acts).toEqual(['open', 'iterate', 'return', 'iterate', 'return']);
  });
});
