/**
 * A process that sweeps when it is told to, and tells what it charged and fired. Its arguments: the database's URL, and `kill` where it shall be gone
 * the moment it would fire.
 */
import type { BoardWakes } from '@bellhop/contracts';
import { openStore } from '@bellhop/store';
import { wakeSql } from '@bellhop/switchboard';
import { StallSweep } from './stall-sweep.js';

const [url = '', fate = ''] = process.argv.slice(2);

let fired: string[] = [];
const wakes: BoardWakes = {
  hooksOn: true,
  wakeSql,
  fireReady(todo) {
    if (fate === 'kill') process.kill(process.pid, 'SIGKILL');
    fired.push(todo.id);
  },
  onWakeOutcome: () => () => {},
};
const store = await openStore({ url });
const sweep = new StallSweep({ store, wakes });

process.on('message', ({ now }: { readonly now: number }) => {
  fired = [];
  void sweep.run(now).then(
    (charged) => process.send?.({ charged, fired }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ ready: true });
