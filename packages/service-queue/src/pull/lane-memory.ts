/** Queues of organizations remembered at once. One that is forgotten begins its round anew. */
const REMEMBERED = 10_000;

/** Where the round robin over the lanes of each queue stands, for consumers that come and go: each claim goes on after the last one's lane. */
export class LaneMemory {
  private readonly lanes = new Map<string, string>();

  after(key: string): string | undefined {
    return this.lanes.get(key);
  }

  served(key: string, lane: string): void {
    // Last in the order of the map: what is asked for is not what is forgotten.
    this.lanes.delete(key);
    this.lanes.set(key, lane);
    const [oldest] = this.lanes.keys();
    if (this.lanes.size > REMEMBERED && oldest !== undefined) this.lanes.delete(oldest);
  }
}
