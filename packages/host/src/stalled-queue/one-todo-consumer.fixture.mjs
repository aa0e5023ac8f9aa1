/**
 * A consumer as a webhook starts it: claims one todo, does it, and exits. Its arguments: the host's URL, its credential, and the milliseconds of its
 * lease. It tells what it claimed, and completes it when it is told to. In JavaScript, for it is started for every todo.
 */
const [host, credential, leaseMs] = process.argv.slice(2);

async function ask(path, body) {
  const answer = await fetch(`${host}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const { todo } = await ask('/v1/todos/claim-next', { leaseMs: Number(leaseMs) });
process.once('message', async () => {
  if (todo) await ask(`/v1/todos/${todo.id}/complete`, { result: 'done' });
  process.disconnect();
});
process.send({ claimed: todo?.id ?? null });
