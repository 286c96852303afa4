/** Watches whether there is room for new work, and keeps a reserve file for a full disk. */
import { DiskFull, errorCode } from '../faults/storage-errors.js';
import type { Disk, Space } from './disk.js';
import { removeFreeing } from './remove-file.js';
import type { StoreDirectory } from './store-directory.js';
import type { Timer } from './timer.js';
import { withFile, writeFully } from './whole-file.js';

const checkIntervalMs = 1000;
const gigabyte = 1024 ** 3;
const chunkBytes = 1024 * 1024;
/** An edit of the manifest takes less; the rest stays for the next edit, and for a start. */
const pieceBytes = 1024 * 1024;

/** The options of the store that concern free space, with the ports that checking it needs. */
export interface FreeSpaceOptions {
  readonly reserveBytes: number;
  readonly freeBytesMin: number | undefined;
  readonly after: Timer;
  randomBytes(length: number): Buffer;
  /** Called at each check, before it. */
  readonly look?: () => Promise<void>;
}

/**
 * One per open store; it checks once a second, and also when a segment is begun. The file `RESERVE`
 * is given back piece by piece, so that edits of the manifest can end even on a full disk.
 */
export class FreeSpace {
  /** Free space is above the minimum, and no write found the disk full since the last check. */
  hasRoom = true;
  /** The error of such a write, until a later check finds enough room; null if there is none. */
  full: DiskFull | null = null;
  private timesFull = 0;
  private waiting: (() => void)[] = [];
  private cancel: () => void = () => undefined;
  private looking: Promise<void> = Promise.resolve();
  private making: Promise<void> = Promise.resolve();
  private isReserveDue = false;
  private stopped = false;

  constructor(
    private readonly disk: Disk,
    private readonly directory: StoreDirectory,
    private readonly options: FreeSpaceOptions,
  ) {}

  /**
   * Called before a start writes anything: removes the reserve if the disk is too full to recover
   * on. The reserve is made again as soon as there is room for it.
   */
  async spendReserveIfFull(): Promise<void> {
    const { available } = await this.space();
    const names = await this.disk.list(this.directory.path);
    if (available >= this.options.reserveBytes || !names.includes('RESERVE')) return;
    await removeFreeing(this.disk, this.directory.reserve);
    await this.disk.syncDirectory(this.directory.path);
  }

  /**
   * Checks the space, now and from now on; settles after the first check. The reserve is made at a
   * later one, so that the writes of a start do not wait for it.
   */
  async start(): Promise<void> {
    this.checkSoon();
    this.arm();
    await this.looking;
    this.isReserveDue = true;
  }

  /**
   * A write found the disk full: there is no room until a later check says so, whatever a check
   * that has begun already will find. Returns the typed error.
   */
  outOfRoom(doing: string, cause: unknown): DiskFull {
    const error = cause instanceof DiskFull ? cause : new DiskFull(doing, cause);
    this.hasRoom = false;
    this.full ??= error;
    this.timesFull += 1;
    return error;
  }

  /** Whether a file that nothing depends on can take `bytes` and still leave room for new work. */
  async takes(bytes: number): Promise<boolean> {
    const { available, total } = await this.space();
    return this.hasRoom && available - bytes >= this.floorOf(total);
  }

  /** Calls `wake` once, when a check finds room; never after `stop`. */
  whenRoom(wake: () => void): void {
    this.waiting.push(wake);
  }

  /** Checks at once, because a segment was begun. */
  checkSoon(): void {
    if (!this.stopped) this.looking = this.looking.then(() => this.look()).catch(() => undefined);
  }

  /** Gives a piece of the reserve back to the disk; false if none is left. */
  async spendPiece(): Promise<boolean> {
    const { disk, directory } = this;
    try {
      return await withFile(disk, directory.reserve, 'write', async (file) => {
        const size = await disk.size(file);
        this.isReserveDue = true;
        await disk.truncate(file, Math.max(0, size - pieceBytes));
        await disk.sync(file);
        return size > 0;
      });
    } catch {
      return false;
    }
  }

  /** Stops checking; settles when a running check has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel();
    await this.looking;
    await this.making;
  }

  private async look(): Promise<void> {
    if (this.stopped) return;
    const { reserveBytes } = this.options;
    await this.options.look?.();
    const { timesFull } = this;
    const { available, total } = await this.space();
    if (timesFull !== this.timesFull) return;
    const floor = this.floorOf(total);
    this.hasRoom = available >= floor;
    if (!this.hasRoom) return;
    this.full = null;
    for (const wake of this.waiting.splice(0)) wake();
    if (!this.isReserveDue || available < floor + reserveBytes) return;
    // If making it fails, it is tried again at the next start or when another piece is spent.
    this.isReserveDue = false;
    this.making = this.making.then(() => this.makeReserve()).catch(() => undefined);
  }

  private floorOf(total: number): number {
    return this.options.freeBytesMin ?? Math.max(gigabyte, total * 0.05);
  }

  /** A file system that cannot report its space is assumed to have room. */
  private space(): Promise<Space> {
    const unknown = { available: Number.POSITIVE_INFINITY, total: 0 };
    return this.disk.space(this.directory.path).catch(() => unknown);
  }

  private arm(): void {
    this.cancel = this.options.after(checkIntervalMs, () => {
      this.checkSoon();
      if (!this.stopped) this.arm();
    });
  }

  private async reserveLength(): Promise<number> {
    const { disk, directory } = this;
    try {
      return await withFile(disk, directory.reserve, 'read', (file) => disk.size(file));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    }
  }

  /** Makes the reserve if it is not complete: of random bytes, so that it really takes its room. */
  private async makeReserve(): Promise<void> {
    const { reserveBytes, randomBytes } = this.options;
    if ((await this.reserveLength()) >= reserveBytes) return;
    const chunk = randomBytes(Math.min(chunkBytes, reserveBytes));
    const aside = this.directory.asideFile('reserve');
    try {
      await withFile(this.disk, aside, 'create', async (file) => {
        for (let position = 0; position < reserveBytes; position += chunk.length) {
          // A store that closes meanwhile does not wait: the next start makes the file.
          if (this.stopped) throw new Error('the store is closed');
          const length = Math.min(chunk.length, reserveBytes - position);
          await writeFully(this.disk, file, chunk.subarray(0, length), position);
        }
        await this.disk.sync(file);
      });
      await this.disk.rename(aside, this.directory.reserve);
      await this.disk.syncDirectory(this.directory.path);
    } catch (error) {
      await this.disk.remove(aside).catch(() => undefined);
      throw error;
    }
  }
}
