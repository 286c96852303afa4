/**
 * Records which logs were removed from this folder, and by which batch of the shared log. After a
 * crash, a node reads entries again as far as its place lags behind. Without these records, it
 * would apply changes of a removed log to a later log of the same name, or miss the records before
 * them.
 */
import { z } from 'zod';
import { DiskFull } from '../../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../../storage/log/partition-log.js';
import type { Store } from '../../../../storage/store.js';
import { parseJson } from '../../../grammar/json.js';

/** The name of the log with these records; it belongs to this folder only. */
export const dropsLogName = '__cluster_drops';

/** `id`: the id of the log in this store, which distinguishes it from others of the same name. */
const schema = z.object({ log: z.string(), id: z.number(), sequence: z.number() });

type Drop = z.output<typeof schema>;

/** One instance per node, created before it follows. */
export class DroppedLogs {
  /** Removed logs by name, with the last batch that still refers to the removed log. */
  private readonly gone = new Map<string, number>();
  /** The batch of each note, and the offset after the note. */
  private readonly noted: { readonly sequence: number; readonly end: number }[] = [];

  private constructor(
    private readonly store: Store,
    private readonly log: PartitionLog,
  ) {}

  /** Creates its log if there is none. */
  static async open(store: Store): Promise<DroppedLogs> {
    const log = store.log(dropsLogName) ?? (await store.createLog(dropsLogName));
    const drops = new DroppedLogs(store, log);
    for (let from = log.startOffset; from < log.highWatermark; ) {
      const batches = await log.read(from);
      for (const batch of batches) {
        for (const { value } of batch.records()) drops.remember(value, batch.nextOffset);
      }
      from = batches.at(-1)?.nextOffset ?? log.highWatermark;
    }
    return drops;
  }

  /** The changes of a batch that still have to be made here. */
  left<Change extends { readonly log: string }>(changes: Change[], sequence: number): Change[] {
    const { gone } = this;
    if (gone.size === 0) return changes;
    return changes.filter(({ log }) => sequence > (gone.get(log) ?? 0));
  }

  /**
   * Called when the batch removes the log of this name, just before it is removed from this folder;
   * settles once the note is durable. If the disk has no room for the note, the log is removed
   * nevertheless, which frees some.
   */
  async note(name: string, sequence: number): Promise<void> {
    const { log, noted } = this;
    const id = this.store.log(name)?.id;
    if (id === undefined) return;
    const drop: Drop = { log: name, id, sequence };
    try {
      const value = Buffer.from(JSON.stringify(drop));
      const { durable, nextOffset } = log.append([{ key: null, value }]);
      await durable;
      // In the lazy fsync modes, a power cut must not keep the removal but lose this note.
      await log.sync();
      noted.push({ sequence, end: nextOffset });
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
    }
  }

  /** Called when no batch up to this one will be read again. */
  async passed(sequence: number): Promise<void> {
    const { gone, noted } = this;
    for (const [name, last] of gone) if (last <= sequence) gone.delete(name);
    const count = noted.findLastIndex((drop) => drop.sequence <= sequence) + 1;
    const last = noted.splice(0, count).at(-1);
    if (last !== undefined) await this.log.trimTo(last.end);
  }

  private remember(value: Buffer | null, end: number): void {
    const json = parseJson(value ?? Buffer.alloc(0));
    const { log, id, sequence } = schema.parse(json.ok ? json.value : null);
    this.noted.push({ sequence, end });
    // The crash may have come between the note and the removal: then the batch is read again, and
    // removes the log.
    if (this.store.log(log)?.id === id) return;
    this.gone.set(log, Math.max(sequence, this.gone.get(log) ?? 0));
  }
}
