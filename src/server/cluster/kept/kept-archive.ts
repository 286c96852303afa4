/**
 * How far a node has copied its journal to `STEPWELL_ARCHIVE_DIR`. The owner begins sweeps, and a
 * node may skip one, so each node notes its own progress: in a log of its own in the store, so that
 * a copy of the folder continues from there.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PartitionLog } from '../../../../storage/log/partition-log.js';
import type { Store } from '../../../../storage/store.js';
import type { SweepArchive } from '../../../engine/history/sweep-archive.js';
import type { ArchiveOptions } from '../../../engine/journal.js';
import { jsonAs } from '../../../grammar/json.js';
import { keepLatest, latestIn } from './latest-record.js';

/** The name of the log with this note. */
export const archiveLogName = '__cluster_archive';

/** `until`: everything below this offset of the journal was copied. */
const schema = z.object({ until: z.number().nonnegative() });

/**
 * Created when this node begins to follow, if there is an archive; the sweeper uses it in place of
 * the archive of a server without a cluster.
 */
export class KeptArchive implements SweepArchive {
  private constructor(
    private readonly log: PartitionLog,
    private readonly folder: string,
    private readonly writer: string,
    private until: number,
  ) {}

  /**
   * `node` is the address of this node, which marks its unfinished copies. If nothing is noted yet,
   * everything below `swept` is in the archives of the nodes that swept it. That is noted at once:
   * what the owner sweeps from now on may still be here, but not in this node's archive, at the
   * next start.
   */
  static async open(
    store: Store,
    { folder, node, swept }: { folder: string; node: string; swept: number },
  ): Promise<KeptArchive> {
    const log = store.log(archiveLogName) ?? (await store.createLog(archiveLogName));
    const noted = jsonAs((await latestIn(log)) ?? Buffer.alloc(0), schema);
    const writer = createHash('sha256').update(node).digest('hex').slice(0, 16);
    const until = noted?.until ?? swept;
    if (noted === null) await keepLatest(log, { until });
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
