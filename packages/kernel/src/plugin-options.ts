/**
 * The one way a plugin factory checks its options: before the kernel starts, all of them at once, and no misspelt one ignored.
 */
import type { z } from 'zod';
import { BellhopError } from './errors.js';
import { givenText } from './given-text.js';
import { unknownOptions } from './unknown-options.js';

type Issue = z.core.$ZodIssue;

/**
 * Checks the options a plugin factory was given. An option the schema does not know is refused at every depth, whether or not its author
 * wrote `strictObject`; `looseObject` and `catchall` allow what they say.
 *
 * @param given undefined stands for `{}`.
 * @returns the options with the schema's defaults filled in.
 * @throws BellhopError `PLUGIN_OPTIONS`: names the plugin, each option's path, what was given (secrets hidden) and what is allowed.
 */
export function parseOptions<Schema extends z.ZodType>(plugin: string, schema: Schema, given: unknown): z.output<Schema> {
  const value = given === undefined ? {} : given;
  const result = schema.safeParse(value, { reportInput: true });
  const unknown = unknownOptions(schema, value);
  const reported = new Set(unknown.map(({ path, key }) => pathText([...path, key])));
  const faults = [
    ...unknown.map(({ path, key, allowed }) => `unknown option ${pathText([...path, key])}; allowed: ${allowed.join(', ') || 'none'}`),
    ...(result.error?.issues ?? [])
      .filter((issue) => issue.code !== 'unrecognized_keys' || issue.keys.some((key) => !reported.has(pathText([...issue.path, key]))))
      .map(issueText),
  ];
  if (result.success && faults.length === 0) return result.data;
  throw new BellhopError('PLUGIN_OPTIONS', `${plugin}: ${faults.join(' | ')}`);
}

function issueText(issue: Issue): string {
  const subject = issue.path.length === 0 ? 'the options' : `option ${pathText(issue.path)}`;
  return `${subject}: given ${givenText(issue.path, issue.input)}; allowed: ${allowedText(issue)}`;
}

/** Zod's own words without its verdict ("Too big: ") and its account of the input (", received string"), which `given` tells better. */
function allowedText(issue: Issue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return issue.errors.map((branch) => branch.map(branchText).join(' and ')).join(', or ');
  }
  return issue.message.replace(/^(Invalid|Too)[^:]*: /, '').replace(/, received .*$/, '');
}

function branchText(issue: Issue): string {
  return issue.path.length === 0 ? allowedText(issue) : `${pathText(issue.path)} ${allowedText(issue)}`;
}

/** `channels[0].smtp.port` */
function pathText(path: readonly PropertyKey[]): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`)).join('');
}
