import { expect, it } from 'vitest';
import { loadPeer, peerVersion } from './load-peer.js';

it('a peer is loaded by its name, with its version', async () => {
  expect(await loadPeer<{ defineQueue: unknown }>('plainjob')).toHaveProperty('defineQueue');
  expect(peerVersion('plainjob')).toBe('0.0.14');
});

it('one that is not there is named, with what to do', async () => {
  await expect(loadPeer('no-such-peer')).rejects.toThrow(/"no-such-peer" cannot be loaded on Node .*bootstrap\.mjs install.*--peer none/s);
  expect(peerVersion('no-such-peer')).toBe('not installed');
});
