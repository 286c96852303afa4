/** What operators see of the disk, and which build this is. */
import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import { Journal } from '../../engine/journal.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import { version } from '../../grammar/version.js';
import type { Config } from '../configuration/config.js';

@Injectable()
export class StorageMetrics {
  constructor(
    registry: Registry,
    journal: Journal,
    @Inject(provided.disk) private readonly disk: Disk,
    @Inject(provided.config) private readonly config: Pick<Config, 'dataDirectory'>,
    @Inject(provided.build) build: string,
  ) {
    gauge(registry, 'stepwell_journal_bytes', 'Bytes of the journal on disk.', () => {
      let bytes = 0;
      for (const { byteLength } of journal.segments) bytes += byteLength;
      return bytes;
    });
    const available = 'Bytes that are free where the data folder lies.';
    this.watchSpace(registry, 'stepwell_disk_available_bytes', available, 'available');
    const total = 'Bytes of the file system where the data folder lies.';
    this.watchSpace(registry, 'stepwell_disk_total_bytes', total, 'total');
    const labelNames = ['version', 'build', 'node'];
    const info = { name: 'stepwell_build_info', help: 'Always 1; its labels name the build.' };
    new Gauge({ ...info, labelNames, registers: [registry] }).set(
      { version, build, node: process.versions.node },
      1,
    );
  }

  /** A disk that cannot be asked leaves the figure as it was. */
  private watchSpace(
    registry: Registry,
    name: string,
    help: string,
    field: 'available' | 'total',
  ): void {
    const space = () => this.disk.space(this.config.dataDirectory).catch(() => null);
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await space();
        if (found !== null) this.set(found[field]);
      },
    });
  }
}
