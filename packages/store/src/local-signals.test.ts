import type { ChangeSignal } from '@bellhop/contracts';
import { silentLogger } from '@bellhop/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalSignals } from './local-signals.js';

const opened: LocalSignals[] = [];
function signalsOf(database: string): LocalSignals {
  const signals = new LocalSignals(database, silentLogger);
  opened.push(signals);
  return signals;
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('local signals', () => {
  afterEach(() => {
    for (const signals of opened.splice(0)) signals.close();
  });

  it('reach the other stores of the database, and neither the sender nor another database', async () => {
    const [sender, other, elsewhere] = [signalsOf('a'), signalsOf('a'), signalsOf('b')];
    const heard: string[] = [];
    sender.onRemoteSignal('outbox', () => heard.push('sender'));
    other.onRemoteSignal('outbox', () => heard.push('other'));
    other.onRemoteSignal('queue', () => heard.push('other topic'));
    elsewhere.onRemoteSignal('outbox', () => heard.push('elsewhere'));
    sender.signal('outbox');
    await turn();
    expect(heard).toEqual(['other']);
  });

  it('of the turn in which their sender is closed reach the others', () => {
    const [sender, other] = [signalsOf('a'), signalsOf('a')];
    const heard: string[] = [];
    other.onRemoteSignal('outbox', () => heard.push('other'));
    sender.signal('outbox');
    expect(heard).toEqual([]);
    sender.close();
    expect(heard).toEqual(['other']);
  });

  it('are coalesced per topic and payload, the earliest due time winning', async () => {
    const [sender, other] = [signalsOf('a'), signalsOf('a')];
    const heard: ChangeSignal[] = [];
    other.onRemoteSignal('outbox', (signal) => heard.push(signal));
    sender.signal('outbox', { dueAt: 9 });
    sender.signal('outbox', { dueAt: 5 });
    sender.signal('outbox', { dueAt: 7 });
    sender.signal('outbox', { dueAt: 7, payload: 'x' });
    await turn();
    expect(heard).toEqual([{ dueAt: 5 }, { dueAt: 7, payload: 'x' }]);
    sender.signal('outbox', { dueAt: 5 });
    sender.signal('outbox');
    await turn();
    expect(heard.at(-1)).toEqual({});
  });

  it('are neither sent nor heard while muted (control: heard when no longer muted)', async () => {
    const [sender, other] = [signalsOf('a'), signalsOf('a')];
    let heard = 0;
    other.onRemoteSignal('outbox', () => {
      heard += 1;
    });
    other.mute(true);
    sender.signal('outbox');
    await turn();
    other.mute(false);
    sender.mute(true);
    sender.signal('outbox');
    await turn();
    expect(heard).toBe(0);
    sender.mute(false);
    sender.signal('outbox');
    await turn();
    expect(heard).toBe(1);
  });

  it('stop for a listener that left, and a throwing one does not stop the others', async () => {
    const [sender, other] = [signalsOf('a'), signalsOf('a')];
    const heard: string[] = [];
    const leave = other.onRemoteSignal('outbox', () => heard.push('left'));
    other.onRemoteSignal('outbox', () => {
      throw new Error('listener');
    });
    other.onRemoteSignal('outbox', () => heard.push('stayed'));
    leave();
    sender.signal('outbox');
    await turn();
    expect(heard).toEqual(['stayed']);
  });
});
