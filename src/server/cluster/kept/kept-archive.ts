/**
 * What a node has copied of its journal to `STEPWELL_ARCHIVE_DIR`. Sweeps are begun by the owner,
 * and one may be passed over here, so that a node notes for itself how far it has come: in a log of
 * its own in the store, so that a copy of the folder goes on from there.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PartitionLog } from '../../../../storage/log/partition-log.js';
import type { Store } from '../../../../storage/store.js';
import type { SweepArchive } from '../../../engine/history/sweep-archive.js';
import type { ArchiveOptions } from '../../../engine/journal.js';
import { parseJson } from '../../../grammar/json.js';
import { keepLatest, latestIn } from './latest-record.js';

/** The name of its log. */
export const archiveLogName = '__cluster_archive';

/** `until`: everything below this offset of the journal was copied. */
const schema = z.object({ until: z.number().nonnegative() });

/**
 * Made when this node begins to follow, where there is an archive; the sweeper asks it in place of
 * the archive of a server alone.
 */
export class KeptArchive implements SweepArchive {
  private constructor(
    private readonly log: PartitionLog,
    private readonly folder: string,
    private readonly writer: string,
    private until: number,
  ) {}

  /**
   * `node`: the address of this one, which marks its unfinished copies. Where nothing is noted yet,
   * what lies below `swept` is in the archives of those who swept it. That is noted at once: what
   * the owner sweeps from now on may be here, and in no archive of this node, at the next start.
   */
  static async open(
    store: Store,
    { folder, node, swept }: { folder: string; node: string; swept: number },
  ): Promise<KeptArchive> {
    const log = store.log(archiveLogName) ?? (await store.createLog(archiveLogName));
    const json = parseJson((await latestIn(log)) ?? Buffer.alloc(0));
    const noted = schema.safeParse(json.ok ? json.value : null);
    const writer = createHash('sha256').update(node).digest('hex').slice(0, 16);
    const until = noted.success ? noted.data.until : swept;
    if (!noted.success) await keepLatest(log, { until });
    return new KeptArchive(log, folder, writer, until);
  }

  options(): ArchiveOptions {
    return { folder: this.folder, from: this.until, writer: this.writer };
  }

  async archived(edge: number): Promise<void> {
    if (edge <= this.until) return;
    this.until = edge;
    await keepLatest(this.log, { until: edge });
  }
}
