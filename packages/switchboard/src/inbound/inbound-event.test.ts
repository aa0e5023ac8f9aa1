import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { challengeOf, readEvent } from './inbound-event.js';

describe('the event of a delivery', () => {
  it('of GitHub', () => {
    const headers = { 'x-github-delivery': 'd-1', 'x-github-event': 'issues' };
    const body = { action: 'opened', issue: { title: 'It burns' }, repository: { full_name: 'acme/site' }, sender: { login: 'octo' } };
    expect(readEvent('github', headers, body)).toEqual({
      externalId: 'd-1',
      kind: 'issues',
      sender: 'octo',
      title: 'issues: opened: acme/site: It burns',
    });
  });

  it('of Gitea', () => {
    const headers = { 'x-gitea-delivery': 'd-2', 'x-gitea-event': 'push', 'x-github-delivery': 'other' };
    const body = { repository: { full_name: 'acme/site' }, head_commit: { message: 'Fix\n\nit' }, sender: { login: 'tea' } };
    expect(readEvent('gitea', headers, body)).toEqual({ externalId: 'd-2', kind: 'push', sender: 'tea', title: 'push: acme/site: Fix it' });
  });

  it('of Stripe', () => {
    const body = { id: 'evt_1', type: 'invoice.paid', account: 'acct_1', data: { object: { id: 'in_1' } } };
    expect(readEvent('stripe', {}, body)).toEqual({
      externalId: 'evt_1',
      kind: 'invoice.paid',
      sender: 'acct_1',
      title: 'invoice.paid: in_1',
    });
  });

  it('of Slack', () => {
    const body = { type: 'event_callback', event_id: 'Ev1', event: { type: 'message', user: 'U1', text: 'hello' } };
    expect(readEvent('slack', {}, body)).toEqual({ externalId: 'Ev1', kind: 'message', sender: 'U1', title: 'message: hello' });
    expect(readEvent('slack', {}, { type: 'app_rate_limited' })).toMatchObject({
      externalId: null,
      kind: 'app_rate_limited',
      sender: null,
    });
  });

  it('of Standard Webhooks', () => {
    const body = { type: 'user.created', sender: 'crm' };
    expect(readEvent('standard', { 'webhook-id': 'msg_1' }, body)).toEqual({
      externalId: 'msg_1',
      kind: 'user.created',
      sender: 'crm',
      title: 'user.created',
    });
  });

  it('of anybody else', () => {
    expect(readEvent('generic', { 'x-delivery-id': 'a', 'x-event-kind': 'alert' }, { sender: 'probe', title: 'Disk full' })).toEqual({
      externalId: 'a',
      kind: 'alert',
      sender: 'probe',
      title: 'alert: Disk full',
    });
    expect(readEvent('generic', { 'idempotency-key': 'b' }, { kind: 'alert' })).toMatchObject({ externalId: 'b', kind: 'alert' });
    expect(readEvent('generic', {}, [])).toEqual({ externalId: null, kind: null, sender: null, title: 'generic event' });
  });
});

describe('a hostile event', () => {
  it('has a title of one line and 255 characters, with nothing that controls', () => {
    const nasty = `a\u0007b\r\nc\u2028d\u202ee\ud800f${'\u{1f600}'.repeat(2_000_000)}`;
    const { title } = readEvent('generic', {}, { title: nasty });
    expect([...title]).toHaveLength(255);
    expect(title.startsWith('a b c d e f')).toBe(true);
    expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u202e]/u);
    expect(title.endsWith('…')).toBe(true);
  });

  it('is nobody where its sender does not fit a name: what is cut could become one that is trusted', () => {
    const sender = (value: unknown) => readEvent('generic', {}, { sender: value }).sender;
    expect(sender('x'.repeat(255))).toBe('x'.repeat(255));
    expect(sender('x'.repeat(256))).toBeNull();
    expect(sender('ali\u0007ce')).toBeNull();
    expect(sender(' alice')).toBeNull();
    expect(sender('')).toBeNull();
    expect(sender(['alice'])).toBeNull();
  });

  it('keeps ids apart that are too long for a column', () => {
    const id = (value: string) => readEvent('generic', { 'x-delivery-id': value }, {}).externalId;
    const [one, other] = [id(`${'x'.repeat(300)}1`), id(`${'x'.repeat(300)}2`)];
    expect(one).not.toBe(other);
    expect(one).toBe(id(`${'x'.repeat(300)}1`));
    expect(one).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(id('x'.repeat(255))).toBe('x'.repeat(255));
  });

  it('reads own keys only', () => {
    expect(readEvent('github', {}, { sender: 'text', issue: 1, repository: null }).sender).toBeNull();
    expect(readEvent('stripe', {}, JSON.parse('{"__proto__": {"id": "evt"}}')).externalId).toBeNull();
  });

  it('never throws, whatever it holds', () => {
    const sources = fc.constantFrom('github', 'gitea', 'stripe', 'slack', 'standard', 'generic');
    const key = fc.constantFrom(
      'id',
      'type',
      'event',
      'sender',
      'login',
      'user',
      'text',
      'action',
      'issue',
      'title',
      'data',
      'object',
      'kind',
    );
    const body = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'binary' }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        tie('object'),
        fc.array(tie('value')),
      ),
      object: fc.dictionary(key, tie('value')),
    })).value;
    const headers = fc.dictionary(
      fc.constantFrom('x-github-delivery', 'x-github-event', 'x-gitea-delivery', 'webhook-id', 'x-delivery-id', 'x-event-kind'),
      fc.string({ unit: 'binary', maxLength: 400 }),
    );
    fc.assert(
      fc.property(sources, headers, body, (source, header, value) => {
        const { externalId, kind, sender, title } = readEvent(source, header, value);
        for (const text of [externalId, kind, sender, title]) {
          expect(text === null || (text.length > 0 && [...text].length <= 255 && !/[\p{Cc}\p{Surrogate}]/u.test(text))).toBe(true);
        }
        expect(title).not.toBeNull();
      }),
    );
  });
});

describe('a challenge', () => {
  const asked = { type: 'url_verification', challenge: 'abc' };

  it('is what Slack asks to have sent back', () => {
    expect(challengeOf('slack', asked)).toBe('abc');
  });

  it.each([
    ['of another source', 'standard', asked],
    ['of another type', 'slack', { ...asked, type: 'event_callback' }],
    ['that is no text', 'slack', { ...asked, challenge: { a: 1 } }],
    ['that is too long', 'slack', { ...asked, challenge: 'x'.repeat(1_025) }],
    ['that is missing', 'slack', { type: 'url_verification' }],
    ['in no object', 'slack', 'url_verification'],
  ] as const)('is none %s', (_what, source, body) => {
    expect(challengeOf(source, body)).toBeNull();
  });

  it('may have 1024 characters', () => {
    expect(challengeOf('slack', { ...asked, challenge: 'x'.repeat(1_024) })).toHaveLength(1_024);
  });
});
