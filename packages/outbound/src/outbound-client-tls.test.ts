import { once } from 'node:events';
import tls from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Receiver, type ReceiverOptions } from './receiver.fixture.js';
import { sending } from './sending.fixture.js';
import { TEST_CERTIFICATE } from './tls-pair.fixture.js';

const open: Receiver[] = [];
const receiver = async (options: ReceiverOptions = {}) => {
  const opened = await Receiver.open({ tls: true, ...options });
  open.push(opened);
  return opened;
};
const defaults = { DEFAULT_MIN_VERSION: tls.DEFAULT_MIN_VERSION, DEFAULT_CIPHERS: tls.DEFAULT_CIPHERS };
afterEach(async () => {
  vi.unstubAllEnvs();
  Object.assign(tls, defaults);
  await Promise.all(open.splice(0).map((each) => each.close()));
});

describe('TLS', () => {
  it.each(['hook.test', 'hook.test.', 'localhost', '127.0.0.1'])('reaches %s by a certificate that is trusted', async (host) => {
    const target = await receiver();
    const { send } = sending({ ca: [TEST_CERTIFICATE] });
    expect(await send(`https://${host}:${target.port}/`)).toMatchObject({ kind: 'answered', status: 200, text: 'ok' });
  });

  it('tells the server the name of the URL', async () => {
    const names: string[] = [];
    const target = await receiver({
      tls: {
        SNICallback: (name, callback) => {
          names.push(name);
          callback(null);
        },
      },
    });
    await sending({ ca: TEST_CERTIFICATE }).send(`https://hook.test:${target.port}/`);
    expect(names).toEqual(['hook.test']);
  });

  it('refuses a certificate that is not trusted', async () => {
    const target = await receiver();
    const url = `https://hook.test:${target.port}/`;
    expect(await sending().send(url)).toMatchObject({ kind: 'failed', cause: 'tls' });
    expect(target.received).toHaveLength(0);
    expect(await sending({ ca: TEST_CERTIFICATE }).send(url)).toMatchObject({ kind: 'answered' });
  });

  it('is verified also where the environment says not to', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const target = await receiver();
    expect(await sending().send(`https://hook.test:${target.port}/`)).toMatchObject({ kind: 'failed', cause: 'tls' });
    // Control: a connection that leaves it to the environment is made.
    const careless = tls.connect({ host: '127.0.0.1', port: target.port });
    await once(careless, 'secureConnect');
    careless.destroy();
  });

  it('refuses a certificate for another name', async () => {
    const target = await receiver();
    const { send } = sending({ ca: TEST_CERTIFICATE });
    expect(await send(`https://other.test:${target.port}/`)).toMatchObject({ kind: 'failed', cause: 'tls' });
    expect(await send(`https://hook.test:${target.port}/`)).toMatchObject({ kind: 'answered' });
  });

  it('is 1.2 or later, also where Node would take less', async () => {
    const ciphers = 'DEFAULT@SECLEVEL=0';
    Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1.1', DEFAULT_CIPHERS: ciphers });
    const old = await receiver({ tls: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers } });
    const { send } = sending({ ca: TEST_CERTIFICATE });
    expect(await send(`https://hook.test:${old.port}/`)).toMatchObject({ kind: 'failed', cause: 'tls' });
    // Controls: Node itself connects to that server, and the client to one with 1.2.
    const lenient = tls.connect({ host: '127.0.0.1', port: old.port, ca: TEST_CERTIFICATE });
    await once(lenient, 'secureConnect');
    lenient.destroy();
    const current = await receiver({ tls: { maxVersion: 'TLSv1.2' } });
    expect(await send(`https://hook.test:${current.port}/`)).toMatchObject({ kind: 'answered' });
  });

  it('fails as TLS against a server that speaks none', async () => {
    const target = await receiver({ tls: false });
    expect(await sending().send(`https://hook.test:${target.port}/`)).toMatchObject({ kind: 'failed', cause: 'tls' });
  });
});
