/** The manifest on disk: two copies of one chained list of edits, written one after the other. */
import type { Disk, FileHandle } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { readWhole, writeAside, writeFully } from '../disk/whole-file.js';
import { DamagedData, DiskFull, errorCode, isNoSpace } from '../faults/storage-errors.js';
import { applyEdit, type ManifestEdit, type ManifestState } from './manifest.js';
import {
  encodeEdit,
  encodeHeader,
  firstCopy,
  type ManifestContent,
  type ManifestCopy,
  parseCopy,
} from './manifest-format.js';

const nothing = () => undefined;
const bothCopies = [0, 1] as const;

/** The manifest as a start found it. */
export interface LoadedManifest extends ManifestContent {
  /** Bytes of an edit that was never finished; a start for writing keeps it aside. */
  readonly torn: Buffer;
}

/**
 * Reads both copies; null if there is none at all. Throws `DamagedData` if neither can be used, and
 * `NewerFormat`.
 */
export async function loadManifest(
  disk: Disk,
  directory: StoreDirectory,
): Promise<LoadedManifest | null> {
  const first = await readIfThere(disk, directory.manifest(0));
  const second = await readIfThere(disk, directory.manifest(1));
  if (first === null && second === null) return null;
  const copies = [first, second].map((bytes) => (bytes === null ? null : parseCopy(bytes)));
  const [one, two] = [copies[0] ?? null, copies[1] ?? null];
  const best = better(one, two);
  if (best === null) throw damaged(directory, 0, first?.length ?? 0, 'no copy is intact');
  const tornAllowed = one === null || two === null ? false : onlyTorn(one, two);
  if (best.end < best.bytes.length && !tornAllowed) {
    throw damaged(directory, best.end, best.bytes.length, 'an edit is not intact in either copy');
  }
  const { storeId, generation, state } = best;
  return { storeId, generation, state, torn: best.bytes.subarray(best.end) };
}

function damaged(directory: StoreDirectory, from: number, to: number, why: string): DamagedData {
  return new DamagedData({ file: directory.manifest(0), from, to, lastGoodOffset: null }, why);
}

async function readIfThere(disk: Disk, path: string): Promise<Buffer | null> {
  try {
    return await readWhole(aroundUnreadable(disk, nothing), path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    // This copy cannot be opened; the other one may be readable.
    if (errorCode(error) === 'EIO') return Buffer.alloc(0);
    throw error;
  }
}

function better(one: ManifestCopy | null, two: ManifestCopy | null): ManifestCopy | null {
  if (one === null || two === null) return one ?? two;
  if (one.generation !== two.generation) return one.generation > two.generation ? one : two;
  return two.editCount > one.editCount ? two : one;
}

/** Whether a crash tore the first copy's last edit: the second then ends right before it. */
function onlyTorn(one: ManifestCopy, two: ManifestCopy): boolean {
  if (one.generation !== two.generation) return false;
  return one.editCount === two.editCount && two.end === two.bytes.length;
}

/** The manifest of an open store: edits in, state out. */
export class ManifestFile {
  private files: readonly FileHandle[] = [];
  private position = 0;
  /** Where the edits of this generation begin, after the state with which it began. */
  private start = 0;
  private previous = 0;
  private queue: Promise<void> = Promise.resolve();
  private readonly storeId: Buffer;
  private generation: number;
  /** The state after all durable edits. */
  state: ManifestState;

  constructor(
    private readonly disk: Disk,
    private readonly directory: StoreDirectory,
    { storeId, generation, state }: ManifestContent,
    /** A new generation is begun after this many bytes of edits, or as many as its state has. */
    private readonly bytesMax = 0,
  ) {
    this.storeId = storeId;
    this.generation = generation;
    this.state = state;
  }

  /**
   * Makes an edit durable, then effective. Edits are applied in the order of the calls. Rejects
   * with `DiskFull` if there is no room: the edit has no effect then, and the next one may find
   * room. After any other failure every later edit is refused with its error.
   */
  append(edit: ManifestEdit): Promise<void> {
    return this.inTurn(() => this.write(edit));
  }

  /**
   * Writes both copies anew from the state, which makes it durable whatever was there before.
   * Rejects with `DiskFull` if there is no room; the copies stay as they were then.
   */
  async beginGeneration(): Promise<void> {
    const header = encodeHeader(this.storeId, this.generation + 1, this.state);
    const edit = encodeEdit({ type: 'state', state: this.state }, header.readUInt32LE(4));
    const content = Buffer.concat([header, edit]);
    await this.writeBothAside(content);
    await this.closeFiles();
    for (const copy of bothCopies) {
      await this.disk.rename(this.aside(copy), this.directory.manifest(copy));
      await this.disk.syncDirectory(this.directory.path);
    }
    this.files = [
      await this.disk.open(this.directory.manifest(0), 'write'),
      await this.disk.open(this.directory.manifest(1), 'write'),
    ];
    this.generation += 1;
    this.position = content.length;
    this.start = content.length;
    this.previous = edit.readUInt32LE(4);
  }

  /** Like an edit, but begins a new generation: the header shows the version that readers need. */
  writesAhead(id: Buffer | null): Promise<void> {
    return this.inTurn(() => this.changeVersion(id?.toString('hex') ?? null));
  }

  /** Waits for running edits and closes the files. */
  async close(): Promise<void> {
    await this.queue;
    await this.closeFiles();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.queue.then(work);
    this.queue = done.catch((error: unknown) => {
      if (!(error instanceof DiskFull)) throw error;
    });
    this.queue.catch(nothing);
    return done;
  }

  private async changeVersion(writesAhead: string | null): Promise<void> {
    const before = this.state;
    if ((before.writesAhead ?? null) === writesAhead) return;
    this.state = { ...before, writesAhead };
    try {
      await this.beginGeneration();
    } catch (error) {
      this.state = before;
      throw error;
    }
  }

  private async write(edit: ManifestEdit): Promise<void> {
    const bytes = encodeEdit(edit, this.previous);
    for (const file of this.files) {
      try {
        await writeFully(this.disk, file, bytes, this.position);
      } catch (error) {
        if (!isNoSpace(error)) throw error;
        await this.cutBack();
        throw new DiskFull('writing the manifest', error);
      }
      await this.disk.sync(file);
    }
    this.position += bytes.length;
    this.previous = bytes.readUInt32LE(4);
    this.state = applyEdit(this.state, edit);
    // At least half of a generation are edits: a large state is not written for each edit.
    if (this.position - this.start <= Math.max(this.bytesMax, this.start)) return;
    // If there is no room, the next edit tries again.
    await this.beginGeneration().catch((error: unknown) => {
      if (!(error instanceof DiskFull)) throw error;
    });
  }

  /** Cuts both copies durably back to where they ended before the edit. */
  private async cutBack(): Promise<void> {
    for (const file of this.files.toReversed()) {
      await this.disk.truncate(file, this.position);
      await this.disk.sync(file);
    }
  }

  /** Writes both before either gets its name: without room, the old generation stays in use. */
  private async writeBothAside(content: Buffer): Promise<void> {
    try {
      for (const copy of bothCopies) await writeAside(this.disk, this.aside(copy), content);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      for (const copy of bothCopies) await this.disk.remove(this.aside(copy)).catch(nothing);
      throw new DiskFull('writing the manifest', error);
    }
  }

  private aside(copy: 0 | 1): string {
    return this.directory.asideFile(`${firstCopy}-${copy}`);
  }

  private async closeFiles(): Promise<void> {
    const files = this.files;
    this.files = [];
    for (const file of files) await this.disk.close(file);
  }
}
