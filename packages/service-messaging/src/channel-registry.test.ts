import type { NotificationChannel } from '@bellhop/contracts';
import { InputError, type Logger, silentLogger } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { ChannelRegistry } from './channel-registry.js';

function setUp() {
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (_fields, message) => void warnings.push(message) };
  return { registry: new ChannelRegistry(logger), warnings };
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
});
