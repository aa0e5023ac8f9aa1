/**
 * Consumers of the board: who comes with the credential of an endpoint, `Authorization: Bearer sbk_…`. It opens the routes below and no others, and
 * they open to nothing else.
 */
import type { BoardConsumer, IBoard } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import type { MiddlewareHandler } from 'hono';
import { HttpError } from './errors.js';

const CREDENTIAL_PREFIX = 'sbk_';
const CONSUMER_PATH = /^\/v1\/(?:todos|notify-hooks|doorbell)(?:\/|$)/;

export interface ConsumerEnv {
  readonly Variables: {
    readonly consumer: BoardConsumer;
    /** For a request that lasts: throws as at its begin when the credential was revoked or expired meanwhile. */
    readonly checkCredentialAgain: () => Promise<void>;
  };
}

/** Whether a path is a consumer's. @param path as the router sees it, decoded. */
export function isConsumerPath(path: string): boolean {
  return CONSUMER_PATH.test(path);
}

/** Whether a key is the credential of an endpoint by its form: such a one is no API key, and is looked up nowhere. */
export function isEndpointCredential(key: string): boolean {
  return key.startsWith(CREDENTIAL_PREFIX);
}

/** Lets a request with a good credential pass, as the board's consumer. 401 without one. */
export function authenticateConsumer(board: IBoard): MiddlewareHandler<ConsumerEnv> {
  return async (context, next) => {
    const header = context.req.header('Authorization');
    context.set('consumer', await consumerOf(board, header));
    context.set('checkCredentialAgain', async () => void (await consumerOf(board, header)));
    await next();
  };
}

async function consumerOf(board: IBoard, header: string | undefined): Promise<BoardConsumer> {
  const credential = /^Bearer +([\x21-\x7e]{1,255})$/i.exec(header ?? '')?.[1];
  if (credential === undefined || !isEndpointCredential(credential)) throw refused('This route takes the credential of an endpoint');
  try {
    return await board.authenticate(credential);
  } catch (error) {
    if (error instanceof BellhopError && error.code === 'UNAUTHENTICATED') throw refused('The credential is unknown, revoked or expired');
    throw error;
  }
}

function refused(why: string): HttpError {
  return new HttpError({
    status: 401,
    code: 'UNAUTHENTICATED',
    message: `${why}. Send Authorization: Bearer sbk_…; \`bellhop endpoint vend\` makes an endpoint.`,
    headers: { 'WWW-Authenticate': 'Bearer realm="bellhop"' },
  });
}
