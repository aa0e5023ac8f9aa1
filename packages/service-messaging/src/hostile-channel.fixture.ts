import type { NotificationChannel } from '@bellhop/contracts';

const unreadable = (): Error =>
  Object.defineProperty(new Error('hidden'), 'message', {
    get() {
      throw new Error('the getter is broken');
    },
  });

function gone(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** What a channel may throw, with the text that is kept of it. */
export const THROWN: readonly (readonly [title: string, thrown: unknown, text: string])[] = [
  ['an object without a prototype', Object.create(null), 'object thrown, which has no text'],
  ['an error whose message throws', unreadable(), 'object thrown, which has no text'],
  ['an error whose message is an object', Object.assign(new TypeError(), { message: {} }), 'TypeError without a message'],
  ['an error whose message is undefined', Object.assign(new TypeError(), { message: undefined }), 'TypeError without a message'],
  ['a value whose toString throws', { toString: () => JSON.parse('') }, 'object thrown, which has no text'],
  ['a proxy that is gone', gone(), 'object thrown, which has no text'],
  ['nothing', undefined, 'undefined'],
];

/** What a channel may give as its id of what it sent, with what is kept of it. */
export const EXTERNAL_IDS: readonly (readonly [given: unknown, kept: string | undefined])[] = [
  ['x', 'x'],
  ['a\0b', 'ab'],
  [42, '42'],
  [42n, '42'],
  [null, undefined],
  [undefined, undefined],
  [Number.NaN, undefined],
  [true, undefined],
  [{ id: 'x' }, undefined],
  [Symbol('x'), undefined],
  [Object.create(null), undefined],
];

/** Ways to throw: before there is a promise, and through it. */
export const THROWING: readonly (readonly [title: string, raise: (thrown: unknown) => () => never | Promise<never>])[] = [
  [
    'throws',
    (thrown) => () => {
      throw thrown;
    },
  ],
  ['rejects', (thrown) => () => Promise.reject(thrown)],
];

/** Classifiers that answer with a promise, which the type does not allow, and what each comes to for an error that it calls a duplicate. */
export const ASYNC_CLASSIFIERS: readonly (readonly [title: string, classify: () => unknown, heard: boolean])[] = [
  ['resolves', async () => 'duplicate', true],
  // biome-ignore lint/suspicious/noThenProperty: a thenable that is no promise is what is tested
  ['is a thenable', () => ({ then: (resolve: (value: unknown) => void) => resolve('duplicate') }), true],
  ['rejects', () => Promise.reject(new Error('the classifier is broken')), false],
  ['never settles', () => new Promise(() => {}), false],
];

export const classifier = (classify: () => unknown): Pick<Required<NotificationChannel>, 'classifyError'> => ({
  classifyError: classify as () => 'duplicate',
});
