// Tries to open a store as a user who is nobody: the tests may run as root, whom no permission stops. Prints what came of it.
import { openStore } from './open-store.js';

const [url, user] = process.argv.slice(2) as [string, string];
// The native parts are loaded first: nobody may not be able to read them.
for (const warmUp of ['memory:', `libsql:file:${process.env.WARM_UP}`]) await (await openStore({ url: warmUp })).close();
if (user !== '') process.setuid?.(Number(user));
try {
  const store = await openStore({ url });
  await store.close();
  console.log('opened');
} catch (error) {
  const { name, code, message } = error as { name: string; code: string; message: string };
  console.log(JSON.stringify({ name, code, message }));
}
