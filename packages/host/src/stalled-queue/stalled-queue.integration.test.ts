import { afterEach, describe, expect, it } from 'vitest';
import { Story } from './story.fixture.js';

// What was reported: a consumer that claims one todo a run spends its one wake, exits, and is never started again, while its queue holds work.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TODOS = ['one', 'two', 'three', 'four', 'five'];

/** A tick of the reaper comes within it. */
const TICK_MS = 33_000;

describe('a consumer that claims one todo a run, started by a hook alone', () => {
  let story: Story;
  afterEach(() => story?.end());

  /** Five todos within a second: the first wake starts a run, the other four come while it lasts. */
  async function fiveTodos(leaseMs: number): Promise<void> {
    const send = await story.open({ leaseMs });
    for (const title of TODOS) await send(title);
    await story.untilWakes(TODOS.length);
    await story.finishRun();
    expect(story.wakes.map(({ reason }) => reason)).toEqual(TODOS.map(() => 'created'));
    expect(story.runs).toHaveLength(1);
    expect(await story.todos('done')).toHaveLength(1);
  }

  it('leaves four of five pending for ever where nothing wakes it again', async () => {
    story = await Story.begin('without');
    await fiveTodos(15 * MINUTE);
    await story.advance(12 * HOUR);
    expect(story.wakes).toHaveLength(TODOS.length);
    expect(await story.todos('pending')).toHaveLength(4);
    expect(story.runs).toHaveLength(1);
  });

  it('does them all where its stalled queue is nudged, and is left alone while it holds a lease', async () => {
    story = await Story.begin('with');
    await fiveTodos(15 * MINUTE);

    // Within two minutes and a tick it is woken once.
    await story.advance(2 * MINUTE);
    expect(story.wakes).toHaveLength(TODOS.length);
    await story.advance(TICK_MS);
    expect(story.wakes.slice(TODOS.length)).toMatchObject([{ reason: 'stalled' }]);
    expect(story.runs).toHaveLength(2);

    // That run is long: no wake in the five minutes after its claim; one after them, which finds it at work and is ignored.
    await story.advance(5 * MINUTE - TICK_MS);
    expect(story.wakes).toHaveLength(TODOS.length + 1);
    await story.advance(2 * TICK_MS);
    expect(story.wakes).toHaveLength(TODOS.length + 2);
    expect(story.runs).toHaveLength(2);
    await story.finishRun();

    // Nothing was claimed since that last wake, so the next waits its five minutes; the others are quick, and each is followed by one within a tick.
    for (let left = 3; left > 0; left -= 1) {
      await story.advance(left === 3 ? 5 * MINUTE + TICK_MS : TICK_MS);
      expect(await story.todos('pending')).toHaveLength(left - 1);
      await story.finishRun();
    }
    expect(await story.todos('done')).toHaveLength(TODOS.length);
    expect(new Set(story.runs.map(({ claimed }) => claimed)).size).toBe(TODOS.length);

    // Nothing is left to wake for.
    const wakes = story.wakes.length;
    await story.advance(2 * HOUR);
    expect(story.wakes).toHaveLength(wakes);
  });
});
