import { afterEach, describe, expect, it, vi } from 'vitest';
import { createConsoleLogger } from './console-logger.js';
import { Kernel } from './kernel.js';

describe('the logger of a kernel that was given none', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  afterEach(() => written.mockClear());

  it('tells warnings and errors with their fields, and nothing else', () => {
    const logger = createConsoleLogger().child({ plugin: 'pager' });
    logger.debug({}, 'debug');
    logger.info({}, 'info');
    expect(written).not.toHaveBeenCalled();
    logger.warn({ rows: 2 }, 'delivery attempt failed');
    logger.error({}, 'gone');
    expect(written.mock.calls).toEqual([['warn: delivery attempt failed {"plugin":"pager","rows":2}'], ['error: gone {"plugin":"pager"}']]);
  });

  it('is what its plugins get', async () => {
    const kernel = new Kernel({ name: 'orders' }).use({ name: 'loud', start: ({ logger }) => logger.warn({}, 'heard') });
    await kernel.start();
    expect(written).toHaveBeenCalledWith('warn: heard {"kernel":"orders","plugin":"loud"}');
    await kernel.stop();
  });
});
