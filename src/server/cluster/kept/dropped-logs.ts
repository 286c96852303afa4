/**
 * Which logs went from this folder, and with which batch of the shared log. What a node has read is
 * read again after a crash, as far as its place lags behind: without this, changes of a log that
 * went would be made to a later one of the same name, or miss the records in front of them.
 */
import { z } from 'zod';
import { DiskFull } from '../../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../../storage/log/partition-log.js';
import type { Store } from '../../../../storage/store.js';
import { parseJson } from '../../../grammar/json.js';

/** The name of the log of them: a folder's own. */
export const dropsLogName = '__cluster_drops';

/** `id`: of the log in this store, by which it is known from others of its name. */
const schema = z.object({ log: z.string(), id: z.number(), sequence: z.number() });

type Drop = z.output<typeof schema>;

/** One for each node, made before it follows. */
export class DroppedLogs {
  /** Those that have gone by now, by name: the last batch that is of a log before. */
  private readonly gone = new Map<string, number>();
  /** The batches of what is noted, and the offset behind it. */
  private readonly noted: { readonly sequence: number; readonly end: number }[] = [];

  private constructor(
    private readonly store: Store,
    private readonly log: PartitionLog,
  ) {}

  /** Makes its log where there is none. */
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

  /** What of the changes of a batch is still to be made here. */
  left<Change extends { readonly log: string }>(changes: Change[], sequence: number): Change[] {
    const { gone } = this;
    if (gone.size === 0) return changes;
    return changes.filter(({ log }) => sequence > (gone.get(log) ?? 0));
  }

  /**
   * The batch says that the log of this name goes, and it is about to go from this folder; settles
   * once that is durable. Where there is no room for that it goes all the same, which makes some.
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
      // In the lazy modes a power cut must not leave the drop without this.
      await log.sync();
      noted.push({ sequence, end: nextOffset });
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
    }
  }

  /** No batch up to this one is read again. */
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
    // A crash may have come between the note and the drop: then it is read again, and goes.
    if (this.store.log(log)?.id === id) return;
    this.gone.set(log, Math.max(sequence, this.gone.get(log) ?? 0));
  }
}
