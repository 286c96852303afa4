/** Whether there is room for new work, and the file that is there to get out of a full disk. */
import type { Disk } from './disk.js';
import type { StoreDirectory } from './log-directory.js';
import type { Timer } from './store-context.js';
import { withFile, writeFully } from './whole-file.js';

const checkIntervalMs = 1000;
const gigabyte = 1024 ** 3;
const chunkBytes = 1024 * 1024;

export interface FreeSpaceOptions {
  readonly reserveBytes: number;
  readonly freeBytesMin: number | undefined;
  readonly after: Timer;
  randomBytes(length: number): Buffer;
}

export class FreeSpace {
  hasRoom = true;
  private cancel: () => void = () => undefined;
  private stopped = false;

  constructor(
    private readonly disk: Disk,
    private readonly directory: StoreDirectory,
    private readonly options: FreeSpaceOptions,
  ) {}

  /**
   * Before anything is written at a start: a disk too full to recover on gets the reserve back.
   * It is made again by the first start that finds room for it.
   */
  async spendReserveIfFull(): Promise<void> {
    const { available } = await this.disk.space(this.directory.path);
    if (available >= this.options.reserveBytes || !(await this.hasReserve())) return;
    await this.disk.remove(this.directory.reserve);
    await this.disk.syncDirectory(this.directory.path);
  }

  /** Makes the reserve where there is none and room for it, and looks at the space from now on. */
  async start(): Promise<void> {
    await this.check();
    if (this.options.reserveBytes > 0 && this.hasRoom && !(await this.hasReserve())) {
      await this.makeReserve();
    }
    this.arm();
  }

  /** Looks at the free space. A file system that cannot say is taken to have room. */
  async check(): Promise<void> {
    try {
      const { available, total } = await this.disk.space(this.directory.path);
      const floor = this.options.freeBytesMin ?? Math.max(gigabyte, total * 0.05);
      this.hasRoom = available >= floor;
    } catch {
      this.hasRoom = true;
    }
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  /** A look out of turn: a segment was begun. */
  checkSoon(): void {
    if (!this.stopped) void this.check();
  }

  private arm(): void {
    this.cancel = this.options.after(checkIntervalMs, () => {
      this.checkSoon();
      if (!this.stopped) this.arm();
    });
  }

  private async hasReserve(): Promise<boolean> {
    return (await this.disk.list(this.directory.path)).includes('RESERVE');
  }

  /** Random bytes, so that no file system stores it as nothing. */
  private async makeReserve(): Promise<void> {
    const { reserveBytes, randomBytes } = this.options;
    const chunk = randomBytes(Math.min(chunkBytes, reserveBytes));
    const aside = this.directory.asideFile('reserve');
    await withFile(this.disk, aside, 'create', async (file) => {
      for (let position = 0; position < reserveBytes; position += chunk.length) {
        // A store that closes meanwhile does not wait: the next start makes the file.
        if (this.stopped) return;
        const length = Math.min(chunk.length, reserveBytes - position);
        await writeFully(this.disk, file, chunk.subarray(0, length), position);
      }
      await this.disk.sync(file);
    });
    if (this.stopped) return;
    await this.disk.rename(aside, this.directory.reserve);
    await this.disk.syncDirectory(this.directory.path);
  }
}
