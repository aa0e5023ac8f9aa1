import type { OpenAPIHono } from '@hono/zod-openapi';
import { version } from '../version.js';
import { type AuthEnv, DEFAULT_ORGANIZATION, ORGANIZATION_HEADER } from './auth.js';

/** The `security` of a consumer's route. */
export const ENDPOINT_SECURITY: Record<string, string[]>[] = [{ endpoint: [] }];

/** Adds `/openapi.json`, which describes every route mounted so far. Open to everybody: it holds nothing of this deployment. */
export function describeApi(api: OpenAPIHono<AuthEnv>): void {
  api.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description:
      `A key made by \`bellhop keys create\`, or BELLHOP_API_KEY. A root key names the organization with the header ${ORGANIZATION_HEADER} ` +
      '(default `default`); a key bound to an organization has its own.',
  });
  api.openAPIRegistry.registerComponent('securitySchemes', 'endpoint', {
    type: 'http',
    scheme: 'bearer',
    description:
      'The credential of an endpoint, `sbk_…`: made by `POST /v1/endpoints` or `bellhop endpoint vend`, for the consumer of its todos.',
  });
  api.get('/openapi.json', (context) => {
    const document = api.getOpenAPI31Document(INFO);
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      if (!path.startsWith('/v1/')) continue;
      // Here rather than in each route: the middleware in front of them all reads it, and no new route can leave it out.
      for (const operation of Object.values(item as Record<string, { parameters?: object[]; security?: object[] }>)) {
        // An endpoint has its organization; its credential reaches no other.
        if (operation.security?.some((scheme) => 'endpoint' in scheme)) continue;
        operation.parameters = [...(operation.parameters ?? []), ORGANIZATION_PARAMETER];
      }
    }
    return context.json(document);
  });
}

const INFO = {
  openapi: '3.1.0',
  info: {
    title: 'Bellhop',
    version,
    description:
      'Notifications, jobs and todos that are not lost. Errors are `{ error: { code, message } }`, lists `{ items, nextCursor }`.',
  },
  security: [{ key: [] }],
};

const ORGANIZATION_PARAMETER = {
  name: ORGANIZATION_HEADER,
  in: 'header',
  required: false,
  description:
    'The organization a root key acts for. A key that is bound to one has its own, and is answered 403 when this names another. ' +
    '1 to 255 printable ASCII characters without commas.',
  schema: { type: 'string', minLength: 1, maxLength: 255, default: DEFAULT_ORGANIZATION },
} as const;
