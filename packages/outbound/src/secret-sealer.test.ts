import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SecretSealer } from './secret-sealer.js';

const KEY = randomBytes(32).toString('base64');
const sealer = SecretSealer.fromKey(KEY);
const coded = (code: string) => expect.objectContaining({ code });

describe('SecretSealer', () => {
  it.each(['whsec_abc', '', 'ü漢🛎', 'x'.repeat(100_000), 'enc:v1:a.b.c'])('opens what it sealed', (plain) => {
    const sealed = sealer.seal(plain, 'wh_1');
    expect(sealed).toMatch(/^enc:v1:[\w-]{16}\.[\w-]*\.[\w-]{22}$/);
    expect(sealer.open(sealed, 'wh_1')).toBe(plain);
    expect(SecretSealer.fromKey(` ${KEY}\n`).open(sealed, 'wh_1')).toBe(plain);
  });

  it('seals the same secret differently each time', () => {
    expect(new Set(Array.from({ length: 100 }, () => sealer.seal('s', 'wh_1'))).size).toBe(100);
  });

  it('binds a secret to its context and key', () => {
    const sealed = sealer.seal('s', 'wh_1');
    expect(() => sealer.open(sealed, 'wh_2')).toThrow(coded('SEALED_VALUE'));
    expect(() => SecretSealer.fromKey(randomBytes(32).toString('base64')).open(sealed, 'wh_1')).toThrow(coded('SEALED_VALUE'));
    expect(sealer.open(sealed, 'wh_1')).toBe('s');
  });

  it('refuses a value of which any one character was altered', () => {
    const sealed = sealer.seal('whsec_s', 'wh_1');
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(() => sealer.open(altered, 'wh_1'), `character ${at}`).toThrow(coded('SEALED_VALUE'));
    }
  });

  it.each([
    ['a plain secret', () => 'whsec_hush'],
    ['nothing', () => ''],
    ['the bare envelope', () => 'enc:v1:'],
    ['another version', (sealed: string) => sealed.replace('v1', 'v2')],
    ['a part missing', (sealed: string) => sealed.slice(0, sealed.lastIndexOf('.'))],
    ['a part too many', (sealed: string) => `${sealed}.AA`],
    ['a shorter tag', (sealed: string) => sealed.slice(0, -6)],
    ['padding', (sealed: string) => `${sealed}==`],
    ['blanks around it', (sealed: string) => ` ${sealed}`],
  ])('refuses %s', (_title, alter) => {
    const value = alter(sealer.seal('whsec_hush', 'wh_1'));
    expect(() => sealer.open(value, 'wh_1')).toThrow(
      expect.objectContaining({ code: 'SEALED_VALUE', message: expect.not.stringContaining('hush') }),
    );
  });

  it('refuses an empty context', () => {
    expect(() => sealer.seal('s', '')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: 'context' }));
    expect(() => sealer.open(sealer.seal('s', 'wh_1'), '')).toThrow(coded('INVALID_INPUT'));
  });

  it('shows no key when it is printed', () => {
    expect(inspect(sealer, { depth: 9, showHidden: true })).not.toContain(KEY.slice(0, 8));
    expect(JSON.stringify(sealer)).toBe('{}');
  });
});

describe('the key', () => {
  it.each([
    ['of 16 bytes', randomBytes(16).toString('base64')],
    ['of 33 bytes', randomBytes(33).toString('base64')],
    ['in hex', randomBytes(32).toString('hex')],
    ['without its padding', KEY.slice(0, -1)],
    ['in base64url', `${'-_'.repeat(21)}8=`],
    ['that is a sentence', 'correct horse battery staple correct horse ba'],
  ])('%s is refused, and not shown', (_title, key) => {
    const make = () => SecretSealer.fromKey(key);
    expect(make).toThrow(
      expect.objectContaining({
        code: 'ENCRYPTION_KEY',
        message: expect.stringMatching(new RegExp(`has ${key.length} characters.*openssl rand -base64 32.*BELLHOP_ENCRYPTION_KEY`)),
      }),
    );
    expect(make).not.toThrow(key.slice(0, 6));
  });

  it.each([undefined, '', ' \n'])('may be missing (%j): then nothing is sealed or opened', (key) => {
    const without = SecretSealer.fromKey(key);
    expect([without.usable, sealer.usable]).toEqual([false, true]);
    for (const call of [() => without.seal('s', 'wh_1'), () => without.open(sealer.seal('s', 'wh_1'), 'wh_1')]) {
      expect(call).toThrow(
        expect.objectContaining({ code: 'ENCRYPTION_KEY', message: expect.stringContaining('openssl rand -base64 32') }),
      );
    }
  });
});
