// How a name is looked for on a page. A single lower-case word is said for many reasons, so it is looked for only with what it belongs to:
// `kernel.start`, `bellhop start`; where nothing sets it apart it is not looked for, and the report says so.
import type { Anchor } from './declaration.js';

export type Sought =
  /** The word, as code has it; `plain`: told from English, so that a heading may say it, too. */
  | { readonly by: 'word'; readonly word: string; readonly plain: boolean }
  /** A member behind a dot, called on something that the owner's name ends with. */
  | { readonly by: 'member'; readonly member: string; readonly owner: string }
  | { readonly by: 'pattern'; readonly pattern: RegExp }
  | { readonly by: 'nothing' };

export function soughtFor({ name, kind, owner }: Pick<Anchor, 'name' | 'kind' | 'owner'>): Sought {
  if (kind === 'a route') return { by: 'pattern', pattern: routePattern(name) };
  if (kind === 'a command') return commandSought(name);
  if (kind === 'a script of package.json') return { by: 'pattern', pattern: scriptPattern(name.replace('npm run ', '')) };
  if (/^[A-Za-z_$][\w$]*$/.test(name)) {
    if (!/^[a-z]+\d*$/.test(name)) return { by: 'word', word: name, plain: /[a-z\d][A-Z]|_/.test(name) };
    return owner === undefined ? { by: 'nothing' } : { by: 'member', member: name, owner };
  }
  return /[A-Za-z]/.test(name) ? { by: 'pattern', pattern: new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'g') } : { by: 'nothing' };
}

/** `POST /v1/inbox/{userId}/read` also as `/v1/inbox/:userId/read`, in a URL, and filled in; never behind another method. */
function routePattern(route: string): RegExp {
  const [method, path] = route.split(' ') as [string, string];
  const parts = path.split(/(\{[^}]+\}|:\w+)/).map((part) => (/^[{:]/.test(part) ? '[^/\\s`\'"?|)]+' : escaped(part)));
  const other = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((each) => each !== method);
  return new RegExp(`(?<!\\b(?:${other.join('|')}) )(?<![\\w/]|\\w[:.]\\w*)(?:https?://[^\\s/]+)?${parts.join('')}(?![\\w/:{-])`, 'g');
}

/** `bellhop keys list`, also as `keys list` and as one of `keys create|list|revoke`. */
function commandSought(name: string): Sought {
  const words = name.split(' ');
  const own = words.at(-1)!;
  const parent = words.at(-2);
  if (parent === undefined) return soughtFor({ name: own, kind: 'a program' });
  return { by: 'pattern', pattern: new RegExp(`(?<![\\w-])${escaped(parent)} +(?:[\\w-]+ ?\\\\?\\| ?)*${escaped(own)}(?![\\w-])`, 'g') };
}

/** `npm test` is `npm run test`; both may be written with flags, and with pnpm. */
function scriptPattern(script: string): RegExp {
  return new RegExp(`(?<![\\w-])p?npm(?: -[\\w-]+)*(?: run)?(?: -[\\w-]+)* ${escaped(script)}(?![\\w:-])`, 'g');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
