import { Command } from 'commander';
import { version } from '../version.js';
import { runDoctor } from './doctor-command.js';
import { endpointList, endpointRevoke, endpointVend } from './endpoint-command.js';
import { failWithOneLine } from './failure.js';
import { createKey, listKeys, revokeKey } from './keys-command.js';
import { runMigrate } from './migrate-command.js';
import { queueFailed, queuePause, queueReplay, queueResume, queueSchedules, queueStats } from './queue-command.js';
import { runStart } from './start-command.js';
import { stallExplain, todoList, todoPush, todoRetry } from './todo-command.js';

/** The command line: `bellhop start | migrate | doctor | keys | queue | endpoint | todo | stall`. Each command is one file; here is only what it is called and takes. */
export function createProgram(): Command {
  const program = new Command('bellhop')
    .description('Notifications, jobs and todos that are not lost: a transactional outbox, a queue and a board behind an HTTP API.')
    .version(version)
    .showHelpAfterError('Run with --help to see what is allowed.');

  withSettings(program.command('start').description('run the host: HTTP API, dispatcher, queue worker and board'))
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
  addBoard(program);
  return program;
}

function addBoard(program: Command): void {
  const endpoint = program.command('endpoint').description('make, list and revoke endpoints: the places of consumers on the board');
  withBoardSettings(
    endpoint
      .command('vend')
      .description('make an endpoint; its credential is printed on standard output, this once')
      .argument('<slug>', 'its name: 1 to 63 of a-z, 0-9 and -'),
  )
    .requiredOption('--queue <name>', 'a queue that it works; may be given again', collect)
    .option('--verb <verb>', 'what the credential may do; may be given again (default everything but notify_hooks)', collect)
    .option('--expires-at <time>', 'when the credential ends, as 2027-01-31T12:00:00Z (default never)')
    .option('--lease <ms>', 'lease of a claim that names none, in milliseconds: 60000 to 86400000 (default 300000)')
    .action(failWithOneLine(endpointVend));
  withBoardSettings(endpoint.command('list').description('list endpoints, oldest first')).action(failWithOneLine(endpointList));
  withBoardSettings(
    endpoint
      .command('revoke')
      .description('end a credential at once; what was not done becomes a dead letter')
      .argument('<endpoint>', 'its id or slug'),
  ).action(failWithOneLine(endpointRevoke));

  const todo = program.command('todo').description('push, list and retry todos');
  withBoardSettings(
    todo
      .command('push')
      .description('make a todo, and call the notify hooks of its queue, once; its id is printed')
      .argument('<endpoint>', 'id or slug')
      .argument('<title>'),
  )
    .requiredOption('--queue <name>', "a queue of the endpoint's scope")
    .option('--payload <json>', 'any JSON value')
    .option('--kind <text>', 'what happened')
    .option('--key <text>', 'no second todo is made while one with this key is alive')
    .action(failWithOneLine(todoPush));
  withBoardSettings(todo.command('list').description('list the todos of an endpoint, newest first').argument('<endpoint>', 'id or slug'))
    .option('--queue <name>', 'only those of this one')
    .option('--state <state>', 'pending, claimed, done or failed')
    .option('--limit <count>', '1 to 200, default 50')
    .option('--cursor <cursor>', 'where the list before this one ended')
    .action(failWithOneLine(todoList));
  withBoardSettings(
    todo.command('retry').description('take a failed todo back to pending').argument('<id>', 'as `todo list` shows it'),
  ).action(failWithOneLine(todoRetry));

  const stall = program.command('stall').description('find out why a queue is quiet');
  withBoardSettings(
    stall
      .command('explain')
      .description('say why a queue is quiet, and when its consumer is woken next')
      .argument('<endpoint>', 'id or slug')
      .argument('<queue>'),
  ).action(failWithOneLine(stallExplain));
}

function withBoardSettings(command: Command): Command {
  return withSettings(command).option('--organization <id>', 'whose board (default default)').option('--json', 'print one JSON value');
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function withSettings(command: Command): Command {
  return command
    .option('--database-url <url>', 'file:…, memory:, libsql:…, postgres://… (BELLHOP_DATABASE_URL, default file:.bellhop/bellhop.db)')
    .option('--config <file>', 'config file (default bellhop.config.ts, .js or .json here)');
}
