import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BellhopError, Kernel, type KernelOptions, parseOptions, silentLogger } from './index.js';

function refusal(schema: z.ZodType, given: unknown): string {
  try {
    parseOptions('service-queue', schema, given);
  } catch (error) {
    expect(error).toBeInstanceOf(BellhopError);
    expect((error as BellhopError).code).toBe('PLUGIN_OPTIONS');
    return (error as Error).message;
  }
  throw new Error('the options were accepted');
}

describe('options', () => {
  it('are returned with defaults filled in', () => {
    const schema = z.object({ concurrency: z.int().default(4), name: z.string().optional() });
    expect(parseOptions('a', schema, undefined)).toEqual({ concurrency: 4 });
    expect(parseOptions('a', schema, { name: 'x' })).toEqual({ concurrency: 4, name: 'x' });
  });

  it.each([
    ['a bound', z.object({ a: z.int().max(64) }), { a: 999 }, 'option a: given 999 (number); allowed: expected number to be <=64'],
    ['a type', z.object({ a: z.number() }), { a: 'four' }, 'option a: given "four" (string); allowed: expected number'],
    ['a choice', z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, 'option a: given "z" (string); allowed: expected one of "x"|"y"'],
    ['what is missing', z.object({ a: z.string() }), {}, 'option a: given nothing; allowed: expected string'],
    [
      'a path',
      z.object({ a: z.array(z.object({ b: z.boolean() })) }),
      { a: [{ b: 1 }] },
      'option a[0].b: given 1 (number); allowed: expected boolean',
    ],
    [
      'a union',
      z.object({ a: z.union([z.string(), z.object({ b: z.number() })]) }),
      { a: {} },
      'option a: given an object; allowed: expected string, or b expected number',
    ],
    [
      "the author's words",
      z.object({ a: z.custom((value) => value === 1, 'a one') }),
      { a: [1] },
      'option a: given an array of 1; allowed: a one',
    ],
    ['options that are none', z.object({}), 'text', 'the options: given "text" (string); allowed: expected object'],
    ['null', z.object({}), null, 'the options: given null; allowed: expected object'],
  ])('that break %s are refused: plugin, path, given, allowed', (_, schema, given, message) => {
    expect(refusal(schema, given)).toBe(`service-queue: ${message}`);
  });

  it('are all reported at once', () => {
    const schema = z.object({ a: z.number(), b: z.number() });
    expect(refusal(schema, { a: 'x', b: 'y', c: 1 })).toMatch(/unknown option c; .* \| option a: .* \| option b: /);
  });

  it.each([
    ['at the top', z.object({ a: z.int().optional(), b: z.int().optional() }), { c: 1 }, 'unknown option c; allowed: a, b'],
    ['of a strict object, once', z.strictObject({ a: z.int().optional() }), { c: 1 }, 'unknown option c; allowed: a'],
    ['of a refined one', z.object({ a: z.int().optional() }).refine(() => true), { c: 1 }, 'unknown option c; allowed: a'],
    ['inside', z.object({ in: z.object({ a: z.int() }).default({ a: 1 }) }), { in: { a: 1, c: 1 } }, 'unknown option in.c; allowed: a'],
    [
      'in a list',
      z.object({ in: z.array(z.object({ a: z.int() })).readonly() }),
      { in: [{ a: 1 }, { a: 1, c: 1 }] },
      'unknown option in[1].c; allowed: a',
    ],
    [
      'in a record',
      z.object({ in: z.record(z.string(), z.object({})) }),
      { in: { key: { c: 1 } } },
      'unknown option in.key.c; allowed: none',
    ],
    [
      'in a branch',
      z.object({ in: z.union([z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), b: z.int() })]) }),
      { in: { k: 'b', b: 1, c: 1 } },
      'unknown option in.c; allowed: k, b',
    ],
    ['named like a member of every object', z.object({}), { toString: 1 }, 'unknown option toString; allowed: none'],
    ['before a transform', z.object({ a: z.int() }).transform(({ a }) => a), { a: 1, c: 1 }, 'unknown option c; allowed: a'],
  ])('that are unknown %s are refused, with what is allowed', (_, schema, given, message) => {
    expect(refusal(schema, given)).toBe(`service-queue: ${message}`);
  });

  it('that a schema lets through on purpose are let through, and instances are values', () => {
    class Custom {
      readonly secretPart = 1;
    }
    const custom = new Custom();
    const schema = z.object({
      open: z.looseObject({ a: z.int() }),
      rest: z.object({}).catchall(z.int()),
      store: z.union([z.string(), z.instanceof(Custom)]),
      either: z.union([z.object({ a: z.int() }), z.object({ a: z.int(), b: z.int() })]),
    });
    const given = { open: { a: 1, c: 1 }, rest: { c: 1 }, store: custom, either: { a: 1, b: 1 } };
    expect(parseOptions('a', schema, given)).toMatchObject({ open: { a: 1, c: 1 }, rest: { c: 1 }, store: custom });
  });

  it('never show a secret in the error, and show long texts in part', () => {
    const schema = z.object({ authToken: z.int(), url: z.int(), smtp: z.object({ password: z.int() }), text: z.int() });
    const message = refusal(schema, {
      authToken: 'tok_12345',
      url: 'postgres://bell:hunter2@db/app?sslkey=abc&x=1',
      smtp: { password: 'hunter2' },
      text: 'x'.repeat(500),
    });
    expect(message).not.toMatch(/hunter2|tok_12345|abc/);
    expect(message).toContain('option authToken: given a hidden string;');
    expect(message).toContain('option url: given "postgres://***@db/app?sslkey=***&x=1" (string);');
    expect(message.length).toBeLessThan(600);
  });
});

describe('options of the kernel', () => {
  it.each([
    [{ stepTimeoutMs: 0 }, 'option stepTimeoutMs: given 0'],
    [{ stopTimeoutMs: 2_147_483_648 }, 'option stopTimeoutMs: given 2147483648'],
    [{ name: '' }, 'option name: given ""'],
    [{ logger: {} }, 'option logger: given an object; allowed: a Logger: debug, info, warn, error and child'],
    [{ clock: { now: () => 1 } }, 'option clock: given an object; allowed: a Clock: now, monotonic and setTimeout'],
    [{ random: 0.5 }, 'option random: given 0.5 (number); allowed: a function that returns a number in [0, 1)'],
    [{ rollbackOnFailure: false }, 'unknown option rollbackOnFailure; allowed: name, logger, clock, random, stepTimeoutMs, stopTimeoutMs'],
  ])('%o is refused', (given, message) => {
    expect(() => new Kernel(given as KernelOptions)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_OPTIONS', message: expect.stringContaining(`kernel: ${message}`) }),
    );
  });

  it('may all be left out or given', () => {
    expect(new Kernel().state).toBe('new');
    expect(new Kernel({ name: 'x', logger: silentLogger, random: () => 0, stepTimeoutMs: 1, stopTimeoutMs: 2_147_483_647 }).state).toBe(
      'new',
    );
  });
});
