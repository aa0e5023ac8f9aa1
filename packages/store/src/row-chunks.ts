// Cuts rows into statements of a size that every database takes. Must never split a row, nor look at what is in it.

/** Rows in one statement at most: more would hold the write lock for too long. */
const ROWS_PER_STATEMENT = 1_000;

/** Characters of JSON in one statement, about: a thousand payloads of 256 KiB would be a text that no database takes. */
const CHARACTERS_PER_STATEMENT = 8 * 1024 * 1024;

/** What a row weighs in a group commit, which cuts at a thousand: long texts count as several rows. */
export function rowWeight(characters: number): number {
  return 1 + Math.floor((characters * ROWS_PER_STATEMENT) / CHARACTERS_PER_STATEMENT);
}

/** Cuts rows into statements, by their number and by their length; a row is never split. */
export function rowChunks<Row>(rows: readonly Row[], charactersOf: (row: Row) => number): Row[][] {
  const chunks: Row[][] = [];
  let room = 0;
  for (const row of rows) {
    const weight = rowWeight(charactersOf(row));
    if (chunks.length === 0 || weight > room) {
      chunks.push([]);
      room = ROWS_PER_STATEMENT;
    }
    chunks.at(-1)?.push(row);
    room -= weight;
  }
  return chunks;
}
