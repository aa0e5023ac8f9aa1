import { silentLogger } from '@bellhop/kernel';
import { expect, it } from 'vitest';
import { type DoorbellSession, DoorbellSessions, SESSIONS_PER_ENDPOINT_MAX } from './doorbell-sessions.js';

interface Heard {
  readonly session: DoorbellSession;
  readonly rings: string[];
  closes: number;
}

function session(options: { readonly room?: number; readonly queues?: string[]; readonly endpointId?: string } = {}): Heard {
  const rings: string[] = [];
  const heard: Heard = {
    rings,
    closes: 0,
    session: {
      endpointId: options.endpointId ?? 'ep',
      queues: options.queues ?? ['work'],
      onRing({ todoId }) {
        if (rings.length >= (options.room ?? 100)) return false;
        rings.push(todoId);
        return true;
      },
      room: () => (options.room ?? 100) - rings.length,
      onClose: () => {
        heard.closes += 1;
      },
    },
  };
  return heard;
}

const open = (...heard: Heard[]) => {
  const sessions = new DoorbellSessions(silentLogger);
  for (const each of heard) sessions.add(each.session);
  return sessions;
};
const ring = (sessions: DoorbellSessions, ...todoIds: string[]) => todoIds.map((todoId) => sessions.ring('ep', { todoId, queue: 'work' }));

it('rings one session for each todo, in turn', () => {
  const [a, b] = [session(), session()];
  expect(ring(open(a, b), '1', '2', '3', '4', '5')).toEqual(Array(5).fill(true));
  expect([a.rings, b.rings]).toEqual([
    ['1', '3', '5'],
    ['2', '4'],
  ]);
});

it('goes on to the next when one is full, and gives up when all are', () => {
  const [a, b] = [session({ room: 1 }), session({ room: 2 })];
  expect(ring(open(a, b), '1', '2', '3', '4')).toEqual([true, true, true, false]);
  expect([a.rings, b.rings]).toEqual([['1'], ['2', '3']]);
});

it('rings none of another endpoint, nor one that listens to other queues', () => {
  const [a, b, c] = [session({ queues: ['mail'] }), session({ endpointId: 'other' }), session()];
  const sessions = open(a, b, c);
  expect(ring(sessions, '1', '2')).toEqual([true, true]);
  expect([a.rings, b.rings, c.rings]).toEqual([[], [], ['1', '2']]);
  expect([sessions.listens('ep', 'work'), sessions.listens('ep', 'x'), sessions.listens('none', 'work')]).toEqual([true, false, false]);
});

it('passes by one that throws', () => {
  const b = session();
  const broken = {
    ...session().session,
    onRing: () => {
      throw new Error('broken');
    },
    room: () => {
      throw new Error('broken');
    },
  };
  const sessions = new DoorbellSessions(silentLogger);
  sessions.add(broken);
  sessions.add(b.session);
  expect(ring(sessions, '1')).toEqual([true]);
  expect(b.rings).toEqual(['1']);
  expect(sessions.room('ep')).toBe(99);
});

it('has the room of all sessions of an endpoint', () => {
  const sessions = open(session({ room: 1 }), session({ room: 2 }), session({ endpointId: 'other' }));
  expect([sessions.room('ep'), sessions.room('other'), sessions.room('none')]).toEqual([3, 100, 0]);
  ring(sessions, '1', '2');
  expect(sessions.room('ep')).toBe(1);
});

it('closes the sessions of one endpoint, each once, also after one that throws', () => {
  const [a, b] = [session(), session({ endpointId: 'other' })];
  const broken = {
    ...session().session,
    onClose: () => {
      throw new Error('broken');
    },
  };
  const sessions = new DoorbellSessions(silentLogger);
  for (const each of [broken, a.session, b.session]) sessions.add(each);
  sessions.close('ep');
  sessions.close('ep');
  expect([a.closes, b.closes]).toEqual([1, 0]);
  expect(ring(sessions, '1')).toEqual([false]);
  expect(sessions.endpoints).toEqual(['other']);
  sessions.remove(b.session);
  expect(sessions.count).toBe(0);
});

it('does not bring back a session that goes away while it is rung', () => {
  const sessions = new DoorbellSessions(silentLogger);
  const leaving: DoorbellSession = {
    ...session().session,
    onRing: () => {
      sessions.remove(leaving);
      return true;
    },
  };
  sessions.add(leaving);
  expect(ring(sessions, '1', '2')).toEqual([true, false]);
  expect(sessions.count).toBe(0);
});

it('refuses the session after the hundredth of an endpoint', () => {
  const sessions = open(...Array.from({ length: SESSIONS_PER_ENDPOINT_MAX }, () => session()));
  expect(() => sessions.add(session().session)).toThrow(/100 doorbell sessions/);
  sessions.add(session({ endpointId: 'other' }).session);
  expect(sessions.count).toBe(101);
});
