/**
 * Who calls, and for which organization. A key comes as `Authorization: Bearer …`. A root key names the organization with the header
 * `Bellhop-Organization` (default `default`); a bound key has its own, and may not name another.
 */
import { InputError } from '@bellhop/kernel';
import type { MiddlewareHandler } from 'hono';
import type { KeyCheck } from '../keys/key-check.js';
import type { KeyGrant } from '../keys/key-store.js';
import { isEndpointCredential } from './consumer-auth.js';
import { HttpError } from './errors.js';

export const ORGANIZATION_HEADER = 'Bellhop-Organization';
export const DEFAULT_ORGANIZATION = 'default';
/** No comma: a header that was sent twice arrives as one text, joined by a comma, and must not name a third organization. */
const ORGANIZATION = /^[\x20-\x2b\x2d-\x7e]{1,255}$/;

/** What the middleware leaves for the routes. */
export interface AuthVariables {
  readonly grant: KeyGrant;
  /** Whose data the request reads and writes. */
  readonly organizationId: string;
  /** For a request that lasts: throws as at its begin when the key was revoked meanwhile. */
  readonly checkKeyAgain: () => Promise<void>;
}

export interface AuthEnv {
  readonly Variables: AuthVariables;
}

/** Lets a request with a good key pass, with its organization. 401 without one; 403 for a bound key that names another organization. */
export function authenticate(keys: KeyCheck): MiddlewareHandler<AuthEnv> {
  return async (context, next) => {
    const header = context.req.header('Authorization');
    const grant = await grantOf(keys, header);
    context.set('grant', grant);
    context.set('checkKeyAgain', async () => void (await grantOf(keys, header)));
    context.set('organizationId', organizationOf(grant, context.req.header(ORGANIZATION_HEADER)));
    await next();
  };
}

/** Lets root keys pass: 403 for a bound one. Runs after {@link authenticate}. */
export const requireRoot: MiddlewareHandler<AuthEnv> = async (context, next) => {
  if (context.get('grant').organizationId !== null) throw forbidden('This needs a root key; the key given is bound to one organization.');
  await next();
};

async function grantOf(keys: KeyCheck, header: string | undefined): Promise<KeyGrant> {
  const key = /^Bearer +([\x21-\x7e]{1,255})$/i.exec(header ?? '')?.[1];
  const grant = key === undefined ? null : await keys.check(key);
  if (grant) return grant;
  const given = faultOf(header, key);
  throw new HttpError({
    status: 401,
    code: 'UNAUTHENTICATED',
    message: `${given}. Send Authorization: Bearer <key>; \`bellhop keys create\` makes a key.`,
    headers: { 'WWW-Authenticate': 'Bearer realm="bellhop"' },
  });
}

function faultOf(header: string | undefined, key: string | undefined): string {
  if (header === undefined) return 'No key was given';
  if (key !== undefined && isEndpointCredential(key)) return 'This route takes an API key, and the credential of an endpoint was given';
  return 'The key is wrong or revoked, or the header is not "Bearer <key>"';
}

function organizationOf({ organizationId: own }: KeyGrant, named: string | undefined): string {
  if (named !== undefined && !ORGANIZATION.test(named)) {
    throw new InputError('INVALID_INPUT', `${ORGANIZATION_HEADER}: 1 to 255 printable ASCII characters without commas are allowed, once.`, {
      path: ORGANIZATION_HEADER,
    });
  }
  if (own === null) return named ?? DEFAULT_ORGANIZATION;
  if (named !== undefined && named !== own)
    throw forbidden(`This key is bound to one organization and ${ORGANIZATION_HEADER} names another.`);
  return own;
}

function forbidden(message: string): HttpError {
  return new HttpError({ status: 403, code: 'FORBIDDEN', message });
}
