// What a killed run leaves behind so that the next one can undo it: the file's bytes before the mutation, and hashes of both states. Written
// and synced before the mutation, removed after the restore is proven. Never overwrites a file that holds anything but the journaled mutant.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceBytes, sparePath, syncFolder, writeDurably } from './source-file.js';

export interface JournalRecord {
  readonly id: string;
  /** Absolute: a restore must not depend on where it runs. */
  readonly path: string;
  readonly before: string;
  readonly mutant: string;
}

/** The file does not hold what it held before, or nobody can tell. The pre-image and the journal are kept. */
export class RestoreUnproven extends Error {}

const RECORD = 'journal.json';
const PRE_IMAGE = 'pre-image';

export class Journal {
  readonly #folder: string;

  /** @param folder outside the tree, and this run's alone. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get preImagePath(): string {
    return join(this.#folder, PRE_IMAGE);
  }

  get recordPath(): string {
    return join(this.#folder, RECORD);
  }

  open(id: string, path: string, before: Uint8Array, mutant: Uint8Array): void {
    if (existsSync(this.recordPath)) throw new Error(`${this.recordPath} belongs to another mutation: restore that first.`);
    const record: JournalRecord = { id, path, before: sha256(before), mutant: sha256(mutant) };
    rmSync(this.preImagePath, { force: true });
    rmSync(`${this.recordPath}.part`, { force: true });
    writeDurably(this.preImagePath, before, 0o600);
    writeDurably(`${this.recordPath}.part`, Buffer.from(`${JSON.stringify(record)}\n`), 0o600);
    // The record appears whole, after its pre-image.
    renameSync(`${this.recordPath}.part`, this.recordPath);
    syncFolder(this.#folder);
  }

  /** The record of a mutation that nobody has taken back. */
  pending(): JournalRecord | undefined {
    if (!existsSync(this.recordPath)) return undefined;
    try {
      return JSON.parse(readFileSync(this.recordPath, 'utf8')) as JournalRecord;
    } catch (error) {
      throw new RestoreUnproven(`${this.recordPath} cannot be read (${String(error)}). ${this.#byHand()}`);
    }
  }

  /**
   * Puts the pre-image back and reads it again. The journal stays until {@link close}.
   *
   * @returns whether there was something to undo: false when the file already holds the pre-image.
   * @throws RestoreUnproven when the file holds neither the mutant nor the pre-image, or the pre-image is damaged.
   */
  restore(record: JournalRecord): boolean {
    const before = this.#preImage(record);
    rmSync(sparePath(record.path), { force: true });
    const current = readIfThere(record.path);
    if (current === undefined) throw new RestoreUnproven(`${record.path} is gone. ${this.#byHand(record)}`);
    if (sha256(current) === record.before) return false;
    if (sha256(current) !== record.mutant) {
      throw new RestoreUnproven(`${record.path} was changed after ablation ${record.id} mutated it. ${this.#byHand(record)}`);
    }
    replaceBytes(record.path, before);
    if (sha256(readFileSync(record.path)) !== record.before) {
      throw new RestoreUnproven(`${record.path} does not hold what was written to it. ${this.#byHand(record)}`);
    }
    return true;
  }

  close(): void {
    rmSync(this.recordPath, { force: true });
    rmSync(this.preImagePath, { force: true });
    syncFolder(this.#folder);
  }

  #preImage(record: JournalRecord): Buffer {
    const bytes = readIfThere(this.preImagePath);
    if (bytes === undefined || sha256(bytes) !== record.before) {
      throw new RestoreUnproven(
        `The pre-image ${this.preImagePath} is ${bytes === undefined ? 'gone' : 'damaged'}. Restore ${record.path} from git, then remove ${this.recordPath}.`,
      );
    }
    return bytes;
  }

  #byHand(record?: JournalRecord): string {
    const target = record ? record.path : 'the file';
    return `What ${target} held before is ${this.preImagePath}: bring ${target} in order, then remove ${this.recordPath}.`;
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
