// Ends vitest and all its workers when the process that started it is gone, in whatever way: file descriptor 3 is a pipe that closes with it.
// A mutant's tests must not run on beside the next run. Reports nothing; loaded by vitest, because a reporter lives in its main process alone.

import { Socket } from 'node:net';
import type { Reporter } from 'vitest/node';

export default class LifelineReporter implements Reporter {
  onInit(): void {
    const lifeline = new Socket({ fd: 3, readable: true, writable: false });
    // 0: the whole group, of which vitest is the leader.
    lifeline.on('close', () => process.kill(0, 'SIGKILL')).on('error', () => undefined);
    lifeline.resume();
    lifeline.unref();
  }
}
