/** A disk that counts what is read of it, and whose syncs can be held back. */
import type { Disk } from '../../../storage/disk/disk.js';

export class GatedDisk {
  readonly disk: Disk;
  /** Reads of files since it was made. */
  reads = 0;
  private gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  constructor(real: Disk) {
    this.disk = {
      ...real,
      read: (file, target, position) => {
        this.reads += 1;
        return real.read(file, target, position);
      },
      sync: async (file) => {
        await this.gate?.opened;
        await real.sync(file);
      },
      writeSynced: async (file, source, position) => {
        await this.gate?.opened;
        return real.writeSynced(file, source, position);
      },
    };
  }

  /** From now on no sync comes to an end. */
  hold(): void {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.gate = { opened, open };
  }

  /** Those that are held back go on, and new ones are not held back. */
  release(): void {
    this.gate?.open();
    this.gate = null;
  }
}
