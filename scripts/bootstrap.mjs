// Makes `npm start` and `npm test` work with nothing but Node and npm: fetches the pnpm pinned in package.json, installs from the
// lockfile when it must, then runs the task. Runs before anything is installed, so it imports only Node itself and is plain JavaScript.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Run by this very Node: a package manager's shim in between would not pass a signal on. */
const TASKS = {
  start: ['--conditions=bellhop-source', '--import', 'tsx', join(root, 'packages/host/src/bin.ts'), 'start'],
  test: [join(root, 'node_modules/vitest/vitest.mjs'), 'run'],
  install: undefined,
};

const [task, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(TASKS, task ?? '')) {
  fail(`Unknown task ${JSON.stringify(task ?? '')}. Allowed: ${Object.keys(TASKS).join(', ')}.`, 2);
}
checkNode();
await installIfNeeded();
const command = TASKS[task];
if (command) process.exit(await run(process.execPath, [...command, ...rest], process.env));

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Bellhop needs Node ${manifest.engines.node}; this is ${process.version}. Install a newer Node and run the command again.`, 1);
  }
}

/** Installs when the stamp of the last install differs from what the lockfile and the manifests say now. */
async function installIfNeeded() {
  const stampFile = join(root, 'node_modules', '.bellhop-install');
  const hash = createHash('sha256').update(process.version);
  for (const file of ['pnpm-lock.yaml', 'package.json', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  const stamp = hash.digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const pnpm = manifest.packageManager;
  console.error(`Installing dependencies with ${pnpm} (the first time takes a few minutes: the embedded database may be compiled) …`);
  const status = await run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile'], { ...process.env, npm_config_user_agent: '' });
  if (status !== 0) fail(`The install failed with exit code ${status}; its output is above. Mend the cause and run the command again.`, 1);
  writeFileSync(stampFile, stamp);
}

/** @returns the child's exit code. The child shares the terminal; what it prints while installing goes to standard error. */
function run(file, args, env) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, env, stdio: ['inherit', file === 'npx' ? 2 : 'inherit', 'inherit'] });
    // Ctrl-C reaches the child from the terminal, so this process only waits for it; passed on, it would count as a second one. A SIGTERM
    // reaches this process alone and is passed on.
    const ignore = () => {};
    const passOn = () => child.kill('SIGTERM');
    process.on('SIGINT', ignore).on('SIGTERM', passOn);
    child.on('error', (error) => fail(`Could not run ${file}: ${error.message}`, 1));
    child.on('close', (code) => {
      process.off('SIGINT', ignore).off('SIGTERM', passOn);
      resolve(code ?? 1);
    });
  });
}

function fail(message, code) {
  console.error(message);
  process.exit(code);
}
