import type { z } from 'zod';
import { BellhopError } from './errors.js';

/**
 * Checks the options a plugin factory was given.
 *
 * @returns them with the schema's defaults filled in.
 * @throws BellhopError `PLUGIN_OPTIONS`: names the plugin, each option's path, what was given and what is allowed.
 */
export function parseOptions<Schema extends z.ZodType>(plugin: string, schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given ?? {});
  if (result.success) return result.data;
  throw new BellhopError('PLUGIN_OPTIONS', result.error.issues.map((issue) => `${plugin}: ${issue.path.join('.')}: ${issue.message}`).join('; '));
}
