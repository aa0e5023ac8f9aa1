import type { StandardSchemaV1 } from '@standard-schema/spec';

/** Issues named in a message at most. */
const ISSUES_MAX = 5;

/** A value that does not fit a schema. */
export interface Misfit {
  /** Of the first issue: `data.to`. */
  readonly path: string;
  /** Every issue with its path, up to five. */
  readonly text: string;
}

/**
 * Asks a Standard Schema (zod, valibot, arktype, …).
 *
 * @param at what the value is called in paths: `data`.
 * @returns what the schema made of the value, or why it does not fit.
 * @throws what the schema's own code throws: that says nothing of the value.
 */
export async function fit<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: unknown,
  at: string,
): Promise<{ readonly value: StandardSchemaV1.InferOutput<Schema> } | { readonly misfit: Misfit }> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return { value: result.value as StandardSchemaV1.InferOutput<Schema> };
  const issues = result.issues.map(({ message, path }) => ({ path: pathText(path, at), message }));
  const named = issues.slice(0, ISSUES_MAX).map(({ path, message }) => `${path}: ${message}`);
  const more = issues.length > ISSUES_MAX ? [`and ${issues.length - ISSUES_MAX} more`] : [];
  return { misfit: { path: issues[0]?.path ?? at, text: [...named, ...more].join('; ') } };
}

function pathText(path: StandardSchemaV1.Issue['path'], at: string): string {
  return (path ?? []).reduce<string>((text, segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`;
  }, at);
}
