/** Checks of one host at the same time share a lookup; a finished one is never used again. */
import { ManualClock } from '@bellhop/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { type FoundAddress, SharedLookups } from './address-lookup.js';

const FOUND: readonly FoundAddress[] = [{ address: '1.1.1.1', family: 4 }];

function shared() {
  const clock = new ManualClock();
  const asked: { readonly host: string; readonly signal: AbortSignal; readonly answer: (found: readonly FoundAddress[]) => void }[] = [];
  const lookups = new SharedLookups((host, signal) => new Promise((answer) => asked.push({ host, signal, answer })), clock);
  return { clock, asked, lookups };
}

describe('lookups under way', () => {
  it('are shared by those who ask for the same host, and by no others', async () => {
    const { asked, lookups } = shared();
    const first = [lookups.of('a', undefined), lookups.of('a', new AbortController().signal)];
    const other = lookups.of('b', undefined);
    expect(asked.map(({ host }) => host)).toEqual(['a', 'b']);
    asked[0]!.answer(FOUND);
    expect(await Promise.all(first)).toEqual([FOUND, FOUND]);
    asked[1]!.answer([]);
    expect(await other).toEqual([]);
  });

  it('are begun anew after one ended', async () => {
    const { clock, asked, lookups } = shared();
    const first = lookups.of('a', undefined);
    asked[0]!.answer(FOUND);
    await first;
    const late = expect(lookups.of('a', undefined)).rejects.toThrow('within 10 s');
    expect(asked).toHaveLength(2);
    await clock.advance(10_000);
    await late;
    expect(asked[1]!.signal.aborted).toBe(true);
    void lookups.of('a', undefined);
    expect(asked).toHaveLength(3);
  });

  it('go on while one waits, and are stopped when the last one left', async () => {
    const { clock, asked, lookups } = shared();
    const [one, two] = [new AbortController(), new AbortController()];
    const checks = [lookups.of('a', one.signal), lookups.of('a', two.signal)] as const;
    one.abort(new Error('first left'));
    await expect(checks[0]).rejects.toThrow('first left');
    expect(asked[0]!.signal.aborted).toBe(false);
    two.abort(new Error('second left'));
    await expect(checks[1]).rejects.toThrow('second left');
    expect(asked[0]!.signal.aborted).toBe(true);
    expect(clock.nextTimerAt()).toBeNull();
    void lookups.of('a', undefined);
    expect(asked).toHaveLength(2);
  });

  it('are not begun for a caller who has left', async () => {
    const { asked, lookups } = shared();
    await expect(lookups.of('a', AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(asked).toEqual([]);
  });
});
