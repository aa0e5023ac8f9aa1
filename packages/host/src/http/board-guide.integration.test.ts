/** The lines of docs/guides/board-http.md do what the page says, in its order, pasted into a shell. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT_KEY, runHost } from '../running-host.fixture.js';

const page = readFileSync(new URL('../../../../docs/guides/board-http.md', import.meta.url), 'utf8');

/** Its blocks: lines of a shell, and the answers under them. */
const blocks = [...page.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }));

it('runs as it is written, and is answered as it shows', async () => {
  const { host } = await runHost({ encryptionKey: Buffer.alloc(32, 7).toString('base64') });
  const env: Record<string, string | undefined> = { ...process.env, BELLHOP_API_KEY: ROOT_KEY };
  // Functions instead of aliases, which a shell without a terminal does not expand.
  const setup = (blocks[0]?.text ?? '').replace(/^alias (\w+)='(.*)'$/gm, '$1() { $2 "$@"; }');
  // biome-ignore lint/suspicious/noExplicitAny: what came back, to be looked into
  let answer: any = {};
  let [lines, shown] = [0, 0];
  for (const { language, text } of blocks.slice(1)) {
    if (language === 'sh') {
      const script = setup + text.replaceAll('http://127.0.0.1:7070', host.url);
      const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env });
      answer = JSON.parse(stdout);
      expect([text, answer.error]).toEqual([text, undefined]);
      if (answer.credential) Object.assign(env, { CREDENTIAL: answer.credential, ENDPOINT: answer.endpoint.id });
      if (answer.token) Object.assign(env, { TOKEN: answer.token, SECRET: answer.secret ?? undefined });
      if (answer.todo) env.TODO = answer.todo.id;
      lines += 1;
    } else {
      expect(answer).toMatchObject(likeness(JSON.parse(text)) as object);
      shown += 1;
    }
  }
  expect([lines, shown]).toEqual([11, 9]);
  await host.stop();
}, 60_000);

/** What of an answer is the same each time: not ids and secrets. */
function likeness(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.map(likeness);
  if (typeof shown === 'object' && shown !== null)
    return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, likeness(value)]));
  return typeof shown === 'string' && shown.includes('…') ? expect.any(String) : shown;
}
