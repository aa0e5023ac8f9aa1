/** The owner of a disk in `file-faults.test.ts`: mounts one, says where, and waits to be killed. */
import { fullDisk } from './full-disk.js';

const { folder } = await fullDisk();
console.log(folder);
setInterval(() => undefined, 60_000);
