// Whose statements are measured. A plugin's come in a file of its own, named here.

import { board } from './board.js';
import { host } from './host.js';
import type { PluginStatements } from './hot-statement.js';
import { messaging } from './messaging.js';
import { queue } from './queue.js';
import { stall } from './stall.js';
import { store } from './store.js';

export const PLUGINS: readonly PluginStatements[] = [store, messaging, queue, board, stall, host];
