import { describe, expect, it } from 'vitest';
import { ruleTags } from './rule-tags.js';

describe('the rules that a test pins', () => {
  it.each([
    ['[L4] caps the delay', ['L4']],
    ['[L2a] is followed at once', ['L2a']],
    ['[A2][S5] is called after the commit', ['A2', 'S5']],
    ['[L5] [L6] never two ticks', ['L5', 'L6']],
    ['the loop > [K-stop-order] reverses', ['K-stop-order']],
    ['[tenant-audit] on sqlite > warns once', ['tenant-audit']],
    ['[tenant-audit] on sqlite > [S7] sends once', ['tenant-audit', 'S7']],
  ])('reads them at the start of each title (%#)', (name, tags) => expect(ruleTags(name)).toEqual(tags));

  it.each(['[404] knows nothing of it', 'keeps [L4] in mind', 'a test', '[0] first'])('reads none in %s', (name) =>
    expect(ruleTags(name)).toEqual([]),
  );
});
