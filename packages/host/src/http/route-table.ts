import type { Hono } from 'hono';

/**
 * The methods a path answers to, for telling 405 from 404. Empty for a path that no route has.
 *
 * @param routes hono's own list; its entries for all methods are middleware.
 */
export function allowedMethods(routes: Hono['routes'], path: string): string[] {
  const methods = routes.filter((route) => route.method !== 'ALL' && pattern(route.path).test(path)).map(({ method }) => method);
  const unique = [...new Set(methods)];
  return unique.includes('GET') ? [...unique, 'HEAD'].sort() : unique.sort();
}

/** `/v1/inbox/:userId` as an expression: a parameter is one part of the path. */
function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`);
}
