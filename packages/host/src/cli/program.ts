import { Command } from 'commander';
import { version } from '../version.js';
import { runDoctor } from './doctor-command.js';
import { failWithOneLine } from './failure.js';
import { createKey, listKeys, revokeKey } from './keys-command.js';
import { runMigrate } from './migrate-command.js';
import { queueFailed, queuePause, queueReplay, queueResume, queueSchedules, queueStats } from './queue-command.js';
import { runStart } from './start-command.js';

/** The command line: `bellhop start | migrate | doctor | keys | queue`. Each command is one file; here is only what it is called and takes. */
export function createProgram(): Command {
  const program = new Command('bellhop')
    .description('Notifications and jobs that are not lost: a transactional outbox and a queue behind an HTTP API.')
    .version(version)
    .showHelpAfterError('Run with --help to see what is allowed.');

  withSettings(program.command('start').description('run the host: HTTP API, dispatcher and queue worker'))
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

  const queue = program.command('queue').description('look at queues, and act on them');
  const ORGANIZATION = ['--organization <id>', 'only its jobs; default all'] as const;
  withSettings(queue.command('stats').description('count the jobs of each queue by state').argument('[queue]', 'only this one'))
    .option(...ORGANIZATION)
    .action(failWithOneLine(queueStats));
  withSettings(
    queue.command('failed').description('list dead jobs, those that died last first').argument('[queue]', 'only those of this one'),
  )
    .option(...ORGANIZATION)
    .option('--limit <count>', '1 to 200, default 50')
    .option('--cursor <cursor>', 'where the list before this one ended')
    .action(failWithOneLine(queueFailed));
  withSettings(queue.command('replay').description('run dead jobs again').argument('[id]', 'as `queue failed` shows it'))
    .option(...ORGANIZATION)
    .option('--queue <name>', 'all dead jobs of this queue')
    .action(failWithOneLine(queueReplay));
  withSettings(queue.command('pause').description('let no job of a queue begin, in any process').argument('<queue>')).action(
    failWithOneLine(queuePause),
  );
  withSettings(queue.command('resume').description('let the jobs of a paused queue begin').argument('<queue>')).action(
    failWithOneLine(queueResume),
  );
  withSettings(queue.command('schedules').description('list schedules and when they fire next'))
    .option('--organization <id>', 'only its schedules; default all')
    .action(failWithOneLine(queueSchedules));
  return program;
}

function withSettings(command: Command): Command {
  return command
    .option('--database-url <url>', 'file:…, memory:, libsql:…, postgres://… (BELLHOP_DATABASE_URL, default file:.bellhop/bellhop.db)')
    .option('--config <file>', 'config file (default bellhop.config.ts, .js or .json here)');
}
