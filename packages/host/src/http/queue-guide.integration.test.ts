/** The lines of docs/guides/queue-http.md do what the page says, in its order, pasted into a shell. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT_KEY, runHost } from '../running-host.fixture.js';

const page = readFileSync(new URL('../../../../docs/guides/queue-http.md', import.meta.url), 'utf8');

/** Its blocks: lines of a shell, and the answers under them. */
const blocks = [...page.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }));

it('runs as it is written, and is answered as it shows', async () => {
  const { host } = await runHost();
  const env: Record<string, string | undefined> = { ...process.env, BELLHOP_API_KEY: ROOT_KEY };
  // Functions instead of aliases, which a shell without a terminal does not expand.
  const setup = (blocks[0]?.text ?? '').replace(/^alias (\w+)='(.*)'$/gm, '$1() { $2 "$@"; }');
  let answer: Record<string, unknown> = {};
  let [lines, shown] = [0, 0];
  for (const { language, text } of blocks.slice(1)) {
    if (language === 'sh') {
      const script = setup + text.replaceAll('http://127.0.0.1:7070', host.url);
      const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env });
      answer = JSON.parse(stdout);
      expect([text, answer.error]).toEqual([text, undefined]);
      const [claimed] = (answer.jobs ?? []) as { id: string; claimToken?: string }[];
      if (claimed?.claimToken !== undefined) Object.assign(env, { JOB: claimed.id, TOKEN: claimed.claimToken });
      lines += 1;
    } else {
      expect(answer).toMatchObject(likeness(JSON.parse(text)) as object);
      shown += 1;
    }
  }
  expect([lines, shown]).toEqual([10, 9]);
  await host.stop();
}, 60_000);

/** What of an answer is the same each time: not ids, tokens and times. */
function likeness(shown: unknown, field = ''): unknown {
  if (Array.isArray(shown)) return shown.map((item) => likeness(item));
  if (typeof shown === 'object' && shown !== null) {
    return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, likeness(value, key)]));
  }
  if (typeof shown === 'string' && shown.includes('…')) return expect.any(String);
  return field === 'lockedUntil' || field === 'oldestPendingMs' ? expect.any(Number) : shown;
}
