import type { AskedReaperDuty, SqlReaperDuty } from '@bellhop/contracts';

/** What a duty does when it is run. */
export type Script = (ctx: { readonly now: number; readonly signal: AbortSignal }) => Promise<number>;

/** A duty that notes each run under its name. `work`: whether there is any. */
export function askedDuty(name: string, { runs = [] as string[], work = true, order = 100, script = (async () => 1) as Script } = {}) {
  const state = { work, asked: 0 };
  const duty: AskedReaperDuty = {
    name,
    order,
    hasWork() {
      state.asked += 1;
      return state.work;
    },
    run(ctx) {
      runs.push(name);
      return script(ctx);
    },
  };
  return { duty, state };
}

/** A duty that asks in SQL. @param sql its question. */
export function sqlDuty(name: string, sql: string, { runs = [] as string[], order = 100, script = (async () => 1) as Script } = {}) {
  const duty: SqlReaperDuty = {
    name,
    order,
    question: sql,
    run(ctx) {
      runs.push(name);
      return script(ctx);
    },
  };
  return duty;
}

/** One that never ends. `heard`: its signal aborted. */
export function hanging() {
  const state = { heard: false, end: (_: number) => {} };
  const script: Script = ({ signal }) => {
    signal.addEventListener('abort', () => {
      state.heard = true;
    });
    return new Promise((resolve) => {
      state.end = resolve;
    });
  };
  return { state, script };
}
