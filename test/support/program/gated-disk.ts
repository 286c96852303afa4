/**
 * A disk that counts what is read of it. Its syncs, and what it says of its space, can be held
 * back.
 */
import type { Disk } from '../../../storage/disk/disk.js';
import { Gate } from './gate.js';

export class GatedDisk extends Gate {
  readonly disk: Disk;
  /** Reads of files since it was made. */
  reads = 0;

  constructor(real: Disk) {
    super();
    this.disk = {
      ...real,
      read: (file, target, position) => {
        this.reads += 1;
        return real.read(file, target, position);
      },
      space: async (path) => {
        await this.opened;
        return real.space(path);
      },
      sync: async (file) => {
        await this.opened;
        await real.sync(file);
      },
      writeSynced: async (file, source, position) => {
        await this.opened;
        return real.writeSynced(file, source, position);
      },
    };
  }
}
