import { AsyncLocalStorage } from 'node:async_hooks';
import type { NotificationChannel } from '@bellhop/contracts';
import { InputError, type Logger, silentLogger } from '@bellhop/kernel';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { ChannelRegistry } from './channel-registry.js';
import { THROWING, THROWN } from './hostile-channel.fixture.js';

function setUp() {
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (_fields, message) => void warnings.push(message) };
  const clock = new ManualClock();
  return { registry: new ChannelRegistry({ logger, clock }), warnings, clock };
}

function channel(id: string, isAvailable?: NotificationChannel['isAvailable']): NotificationChannel {
  return { id, send: async () => ({ ok: true }), ...(isAvailable ? { isAvailable } : {}) };
}

describe('ChannelRegistry', () => {
  it('opens registered channels in the order of the emit, and lists the others with the reason', async () => {
    const { registry } = setUp();
    registry.register(channel('inbox'));
    registry.register(channel('email', () => false));
    registry.register(channel('sms', async () => true));
    expect(await registry.route(['sms', 'push', 'email', 'inbox'], 'acme')).toEqual({
      open: ['sms', 'inbox'],
      suppressed: [
        { channel: 'push', reason: 'unregistered' },
        { channel: 'email', reason: 'unavailable' },
      ],
    });
  });

  it('asks a channel once, for the organization of the emit', async () => {
    const { registry } = setUp();
    const asked: string[] = [];
    registry.register(channel('email', ({ organizationId }) => asked.push(organizationId) > 0));
    await registry.route(['email'], 'acme');
    await registry.route(['email'], 'umbrella');
    expect(asked).toEqual(['acme', 'umbrella']);
  });

  it('takes a channel that throws as available, and warns once', async () => {
    const { registry, warnings } = setUp();
    registry.register(
      channel('email', () => {
        throw new Error('no answer');
      }),
    );
    registry.register(channel('sms', () => Promise.reject(new Error('no answer'))));
    for (let at = 0; at < 3; at += 1) {
      expect(await registry.route(['email', 'sms'], 'acme')).toEqual({ open: ['email', 'sms'], suppressed: [] });
    }
    expect(warnings).toHaveLength(2);
  });

  it('warns once of a channel that is not registered, and again after the channels changed', async () => {
    const { registry, warnings } = setUp();
    await registry.route(['push'], 'acme');
    await registry.route(['push'], 'acme');
    expect(warnings).toHaveLength(1);
    registry.register(channel('push'));
    registry.unregister('push');
    await registry.route(['push'], 'acme');
    expect(warnings).toHaveLength(2);
  });

  it('keeps one channel per id, the latest', () => {
    const { registry } = setUp();
    const own = channel('email');
    registry.register(channel('email'));
    registry.register(own);
    expect(registry.ids()).toEqual(['email']);
    expect(registry.get('email')).toBe(own);
    registry.unregister('email');
    expect(registry.get('email')).toBeUndefined();
  });

  it('refuses what is no channel', () => {
    const { registry } = setUp();
    for (const bad of [undefined, {}, { id: '', send() {} }, { id: 'email' }]) {
      expect(() => registry.register(bad as unknown as NotificationChannel)).toThrow(InputError);
    }
    expect(registry.ids()).toEqual([]);
  });

  it.each(THROWN.flatMap(([what, thrown]) => THROWING.map(([how, raise]) => [how, what, raise(thrown)] as const)))(
    'takes a channel whose probe %s %s as available, and warns once',
    async (_how, _what, isAvailable) => {
      const { registry, warnings } = setUp();
      registry.register(channel('email', isAvailable));
      for (let at = 0; at < 2; at += 1) expect(await registry.route(['email'], 'acme')).toEqual({ open: ['email'], suppressed: [] });
      expect(warnings).toHaveLength(1);
    },
  );

  it.each([
    ['a promise', () => new Promise<boolean>(() => {})],
    // biome-ignore lint/suspicious/noThenProperty: a thenable that is no promise is what is tested
    ['a thenable', () => ({ then() {} }) as unknown as Promise<boolean>],
  ])('waits 2 s for %s that never settles, not less, then takes the channel as available, and warns once', async (_title, isAvailable) => {
    const { registry, warnings, clock } = setUp();
    registry.register(channel('email', isAvailable));
    for (let at = 0; at < 2; at += 1) {
      let routed: unknown;
      void registry.route(['email'], 'acme').then((routes) => {
        routed = routes;
      });
      await clock.advance(1_999);
      expect(routed).toBeUndefined();
      await clock.advance(1);
      expect(routed).toEqual({ open: ['email'], suppressed: [] });
    }
    expect(warnings).toEqual(['channel did not say in time whether it is available: taken as available']);
  });

  it('hears a no that comes in time, and nothing of a probe that rejects after it', async () => {
    const { registry, warnings, clock } = setUp();
    const after = (delayMs: number, settle: (resolve: (open: boolean) => void, reject: (error: Error) => void) => void) => () =>
      new Promise<boolean>((resolve, reject) => clock.setTimeout(() => settle(resolve, reject), delayMs));
    registry.register(
      channel(
        'slow',
        after(1_999, (resolve) => resolve(false)),
      ),
    );
    registry.register(
      channel(
        'late',
        after(2_001, (_resolve, reject) => reject(new Error('too late to matter'))),
      ),
    );
    const routing = registry.route(['slow', 'late'], 'acme');
    await clock.advance(3_000);
    expect(await routing).toEqual({ open: ['late'], suppressed: [{ channel: 'slow', reason: 'unavailable' }] });
    expect(warnings).toHaveLength(1);
    expect(clock.nextTimerAt()).toBeNull();
  });

  it('asks outside of the context of the emit, and answers inside it', async () => {
    const { registry } = setUp();
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    registry.register(
      channel('email', async () => {
        seen.push(context.getStore());
        await Promise.resolve();
        seen.push(context.getStore());
        return true;
      }),
    );
    registry.register(
      channel('lazy', () => {
        // biome-ignore lint/suspicious/noThenProperty: a query runs when it is awaited, as this one does
        return { then: (resolve: (open: boolean) => void) => resolve(seen.push(context.getStore()) > 0) } as unknown as Promise<boolean>;
      }),
    );
    await context.run('transaction', async () => {
      await registry.route(['email', 'lazy'], 'acme');
      expect(context.getStore()).toBe('transaction');
    });
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it('remembers 1 000 warnings, and forgets the oldest', async () => {
    const { registry, warnings } = setUp();
    const warned = async (id: string) => {
      const before = warnings.length;
      await registry.route([id], 'acme');
      return warnings.length - before;
    };
    for (let at = 0; at < 1_000; at += 1) expect(await warned(`made-up-${at}`)).toBe(1);
    expect([await warned('made-up-0'), await warned('made-up-999')]).toEqual([0, 0]);
    expect(await warned('one-more')).toBe(1);
    expect([await warned('made-up-1'), await warned('made-up-0')]).toEqual([0, 1]);
  });
});
