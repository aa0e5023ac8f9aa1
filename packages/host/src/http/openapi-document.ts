import type { OpenAPIHono } from '@hono/zod-openapi';
import { version } from '../version.js';
import { type AuthEnv, ORGANIZATION_HEADER } from './auth.js';

/** Adds `/openapi.json`, which describes every route mounted so far. Open to everybody: it holds nothing of this deployment. */
export function describeApi(api: OpenAPIHono<AuthEnv>): void {
  api.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description:
      `A key made by \`bellhop keys create\`, or BELLHOP_API_KEY. A root key names the organization with the header ${ORGANIZATION_HEADER} ` +
      '(default `default`); a key bound to an organization has its own.',
  });
  api.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Bellhop',
      version,
      description: 'Notifications that are not lost. Errors are `{ error: { code, message } }`, lists `{ items, nextCursor }`.',
    },
    security: [{ key: [] }],
  });
}
