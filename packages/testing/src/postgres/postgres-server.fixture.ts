/** The owner of a server in `postgres-server.test.ts`: starts one, says where it is, and ends as its first argument says. */
import pg from 'pg';
import { startPostgres } from './postgres-server.js';

const server = await startPostgres();
const client = new pg.Client(server.url);
await client.connect();
const { rows } = await client.query("SELECT current_setting('data_directory') AS folder");
await client.end();
console.log(JSON.stringify({ url: server.url, data: rows[0].folder }));

if (process.argv[2] === 'throw') throw new Error('as asked');
if (process.argv[2] === 'wait') setInterval(() => undefined, 60_000);
