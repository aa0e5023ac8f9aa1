// Why a way past the store's API is allowed where it is: a list kept by hand, by file and way. What is on it and nowhere in the sources is stale.
import { type Finding, lineOf } from '../framework/finding.js';
import { type PastPlace, WAYS, type Way } from './past-the-api.js';

export const REASONS_FILE = 'scripts/gates/tenant-audit-census/past-the-api.json';

export interface PastReason {
  readonly file: string;
  readonly way: Way;
  readonly why: string;
  readonly line: number;
}

/** Throws on a text that is no such list: a reason that cannot be read is none. */
export function parseReasons(text: string): PastReason[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error(`${REASONS_FILE} is no list. Write [{ "file": …, "way": …, "why": … }].`);
  return list.map((entry: Partial<Record<keyof PastReason, unknown>> | null, at) => {
    const { file, way, why } = entry ?? {};
    if (typeof file !== 'string' || typeof way !== 'string' || typeof why !== 'string' || why.trim() === '' || !(way in WAYS)) {
      throw new Error(
        `${REASONS_FILE}: entry ${at + 1} is ${JSON.stringify(entry)}. Give a file, a way (${Object.keys(WAYS).join(', ')}) and a why.`,
      );
    }
    return { file, way: way as Way, why, line: lineOf(text, text.indexOf(JSON.stringify(file))) };
  });
}

export function reasonFor(reasons: readonly PastReason[], place: PastPlace): string | undefined {
  return reasons.find(({ file, way }) => file === place.file && way === place.way)?.why;
}

export function judgePast(places: readonly PastPlace[], reasons: readonly PastReason[]): Finding[] {
  const unexplained = places.filter((place) => reasonFor(reasons, place) === undefined);
  const stale = reasons.filter((reason) => !places.some((place) => place.file === reason.file && place.way === reason.way));
  return [
    ...unexplained.map(({ file, line, way, what }) => ({
      file,
      line,
      what: `${what}: ${WAYS[way]}, where a write goes past the store's API and no audit sees it`,
      mend: `Write through store.write(statement, params, scope) or store.batch. Where that cannot be, say why in ${REASONS_FILE}: { "file": "${file}", "way": "${way}", "why": "…" }.`,
    })),
    ...stale.map(({ file, way, line }) => ({
      file: REASONS_FILE,
      line,
      what: `allows "${way}" in ${file}, where there is none`,
      mend: 'Take the entry out.',
    })),
  ];
}
