import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { allowedMethods } from './route-table.js';

describe('allowedMethods', () => {
  const { routes } = new Hono()
    .use('/v1/*', async (_context, next) => next())
    .get('/v1/inbox/:userId', (context) => context.text(''))
    .post('/v1/inbox/:userId/read', (context) => context.text(''))
    .get('/openapi.json', (context) => context.text(''));

  it.each([
    ['/v1/inbox/ada', ['GET', 'HEAD']],
    ['/v1/inbox/ada/read', ['POST']],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/openapi_json', []],
    ['/v1/inbox', []],
    ['/v1/inbox/ada/', []],
    ['/v1/anything', []],
  ])('knows that %s takes %j', (path, methods) => {
    expect(allowedMethods(routes, path)).toEqual(methods);
  });
});
