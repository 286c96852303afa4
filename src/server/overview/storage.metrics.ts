/** Metrics of the disk, and of the build. */
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import { Store } from '../../../storage/store.js';
import { systemClock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import { version } from '../../grammar/version.js';
import type { Config } from '../configuration/config.js';
import { DiskQuestion } from '../disks/disk-question.js';

/** A copy in progress has another name. */
const isCopy = (name: string) => name.endsWith('.log');

/**
 * Reads the values at each scrape. If the disk fails or does not answer, the last values stay, and
 * neither the scrape nor the rest of the server is delayed.
 */
@Injectable()
export class StorageMetrics {
  constructor(
    registry: Registry,
    journal: Journal,
    store: Store,
    @Inject(provided.disk) private readonly disk: Disk,
    @Inject(provided.config) config: Pick<Config, 'dataDirectory' | 'archiveDirectory'>,
    @Inject(provided.build) build: string,
  ) {
    gauge(registry, 'stepwell_journal_bytes', 'Bytes of the journal on disk.', () => {
      let bytes = 0;
      for (const { byteLength } of journal.segments) bytes += byteLength;
      return bytes;
    });
    const isFull =
      '1 while new work is refused (507) because bytes or inodes have run out, else 0.';
    gauge(registry, 'stepwell_disk_full', isFull, () => Number(!store.freeSpace.hasRoom));
    const { dataDirectory, archiveDirectory } = config;
    this.watchSpace(registry, 'disk', 'of the data folder; 0 = unknown', dataDirectory);
    this.watchSpace(
      registry,
      'archive_disk',
      'of STEPWELL_ARCHIVE_DIR; 0 = not set',
      archiveDirectory,
    );
    this.watchArchive(registry, archiveDirectory && join(archiveDirectory, store.id));
    const labelNames = ['version', 'build', 'node'];
    const info = { name: 'stepwell_build_info', help: 'Always 1; the labels name the build.' };
    new Gauge({ ...info, labelNames, registers: [registry] }).set(
      { version, build, node: process.versions.node },
      1,
    );
  }

  /** Without a folder, there are no values. */
  private watchSpace(registry: Registry, disk: string, where: string, folder: string | null): void {
    const space = folder === null ? null : question(() => this.disk.space(folder));
    const watch = (name: string, help: string, field: 'available' | 'total') =>
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const found = (await space?.ask()) ?? null;
          if (found !== null) this.set(found[field]);
        },
      });
    watch(
      `stepwell_${disk}_available_bytes`,
      `Free bytes on the file system ${where}.`,
      'available',
    );
    watch(`stepwell_${disk}_total_bytes`, `Bytes of the file system ${where}.`, 'total');
  }

  /**
   * A copy never changes, so each is asked for its size once, even if it may be moved elsewhere.
   */
  private watchArchive(registry: Registry, folder: string | null): void {
    const sizes = new Map<string, number>();
    const { disk } = this;
    const bytesIn = async (path: string) => {
      const names = (await disk.list(path).catch(() => [])).filter(isCopy);
      let bytes = 0;
      for (const name of names) {
        const size = sizes.get(name) ?? (await disk.sizeAt(join(path, name)).catch(() => null));
        if (size !== null) sizes.set(name, size);
        bytes += size ?? 0;
      }
      return bytes;
    };
    const held = folder === null ? null : question(() => bytesIn(folder));
    new Gauge({
      name: 'stepwell_archive_bytes',
      help: 'Bytes of the copies of the journal in STEPWELL_ARCHIVE_DIR; 0 = no copies.',
      registers: [registry],
      async collect() {
        const bytes = (await held?.ask()) ?? null;
        if (bytes !== null) this.set(bytes);
      },
    });
  }
}

/** Disks are timed by the machine's clock. */
function question<Answer>(put: () => Promise<Answer>): DiskQuestion<Answer> {
  return new DiskQuestion(put, systemClock.after);
}
