import { Command } from 'commander';
import { version } from '../version.js';
import { runDoctor } from './doctor-command.js';
import { failWithOneLine } from './failure.js';
import { createKey, listKeys, revokeKey } from './keys-command.js';
import { runMigrate } from './migrate-command.js';
import { runStart } from './start-command.js';

/** The command line: `bellhop start | migrate | doctor | keys`. Each command is one file; here is only what it is called and takes. */
export function createProgram(): Command {
  const program = new Command('bellhop')
    .description('Notifications that are not lost: a transactional outbox behind an HTTP API.')
    .version(version)
    .showHelpAfterError('Run with --help to see what is allowed.');

  withSettings(program.command('start').description('run the host: HTTP API and dispatcher'))
    .option('--port <port>', 'port to listen on; 0 takes a free one (PORT, default 7070)')
    .option('--host <address>', 'address to listen on (HOST, default 127.0.0.1)')
    .action(failWithOneLine(runStart));

  withSettings(program.command('migrate').description('bring the schema of all configured plugins up to date')).action(
    failWithOneLine(runMigrate),
  );

  withSettings(
    program.command('doctor').description('check this machine, the configuration and the database; exits 1 when something is wrong'),
  )
    .option('--port <port>', 'port to check (PORT, default 7070)')
    .option('--host <address>', 'address to check (HOST, default 127.0.0.1)')
    .action(failWithOneLine(runDoctor));

  const keys = program.command('keys').description('make, list and revoke API keys');
  withSettings(keys.command('create').description('make a key; it is printed on standard output, this once'))
    .option('--organization <id>', 'bind the key to one organization')
    .option('--root', 'make a root key, for every organization and for /metrics')
    .option('--label <text>', 'what the key is for')
    .action(failWithOneLine(createKey));
  withSettings(keys.command('list').description('list keys, oldest first')).action(failWithOneLine(listKeys));
  withSettings(
    keys
      .command('revoke')
      .description('revoke a key; running hosts refuse it within 5 seconds')
      .argument('<id>', 'as `keys list` shows it'),
  ).action(failWithOneLine(revokeKey));
  return program;
}

function withSettings(command: Command): Command {
  return command
    .option('--database-url <url>', 'file:…, memory:, libsql:…, postgres://… (BELLHOP_DATABASE_URL, default file:.bellhop/bellhop.db)')
    .option('--config <file>', 'config file (default bellhop.config.ts, .js or .json here)');
}
