/** Values of a chunk at most. Insertion moves one chunk's tail, a search looks at log2(chunks) + log2(this) values. */
const CHUNK = 512;

/**
 * Values in the order of a comparison, each once: the memory stores' stand-in for a database index. Additions, removals and look-ups cost the
 * same few steps wherever they fall and however many values there are; one flat array would move its whole tail for each row taken from the
 * front of a backlog.
 *
 * Invariant: no chunk is empty, and every value of a chunk sorts before those of the next.
 */
export class OrderedSet<Value> {
  readonly #chunks: Value[][] = [];
  #size = 0;

  /** @param compare total: 0 means the same value. */
  constructor(readonly compare: (left: Value, right: Value) => number) {}

  get size(): number {
    return this.#size;
  }

  /** Does nothing when the value is there. */
  add(value: Value): void {
    const isLess = (other: Value) => this.compare(other, value) < 0;
    // Past the last value there is no chunk to find: it goes to the end of the last one.
    const at = Math.min(this.#chunkOf(isLess), Math.max(0, this.#chunks.length - 1));
    const chunk = this.#chunks[at];
    if (!chunk) this.#chunks.push([value]);
    else {
      const position = partition(chunk, isLess);
      const there = chunk[position];
      if (position < chunk.length && this.compare(there as Value, value) === 0) return;
      chunk.splice(position, 0, value);
      if (chunk.length > CHUNK) this.#split(at, position);
    }
    this.#size += 1;
  }

  /** Does nothing when the value is not there. */
  delete(value: Value): void {
    const isLess = (other: Value) => this.compare(other, value) < 0;
    const at = this.#chunkOf(isLess);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    const position = partition(chunk, isLess);
    if (this.compare(chunk[position] as Value, value) !== 0) return;
    chunk.splice(position, 1);
    this.#size -= 1;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    else this.#join(at);
  }

  /** The first value, or the first for which `isBefore` is false: it must be true for a head of the order and false for the rest. */
  first(isBefore: (value: Value) => boolean = () => false): Value | undefined {
    const chunk = this.#chunks[this.#chunkOf(isBefore)];
    return chunk?.[partition(chunk, isBefore)];
  }

  /** All values in order, or those from `first(isBefore)` on. The set must not change while they are read. */
  *values(isBefore: (value: Value) => boolean = () => false): Generator<Value> {
    const from = this.#chunkOf(isBefore);
    for (let at = from; at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] as Value[];
      for (let position = at === from ? partition(chunk, isBefore) : 0; position < chunk.length; position += 1) {
        yield chunk[position] as Value;
      }
    }
  }

  /** The chunk that holds the first value for which `isBefore` is false; past the end when there is none. */
  #chunkOf(isBefore: (value: Value) => boolean): number {
    return partition(this.#chunks, (chunk) => isBefore(chunk[chunk.length - 1] as Value));
  }

  /** @param position where the value went that made it too long. */
  #split(at: number, position: number): void {
    const chunk = this.#chunks[at] as Value[];
    // Values that only ever come at the end leave full chunks behind, not halves.
    const cut = at === this.#chunks.length - 1 && position === chunk.length - 1 ? chunk.length - 1 : chunk.length >>> 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(cut));
  }

  /** Takes up the next chunk when both are small, so that removals do not leave a long row of near-empty chunks. */
  #join(at: number): void {
    const chunk = this.#chunks[at] as Value[];
    const next = this.#chunks[at + 1];
    if (!next || chunk.length + next.length > CHUNK / 2) return;
    chunk.push(...next);
    this.#chunks.splice(at + 1, 1);
  }
}

/** How many of `list` lie before: `isBefore` is true for a head of the list and false for the rest. */
function partition<Item>(list: readonly Item[], isBefore: (item: Item) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(list[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
