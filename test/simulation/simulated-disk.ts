/**
 * The disk port in memory, with the two things a real disk hides: what a crash would leave, and
 * failures on demand. Everything it does follows from its seed.
 */
import { basename, dirname } from 'node:path';
import type { Disk, FileHandle, OpenMode, Space } from '../../storage/disk/disk.js';
import { SeededRandom } from './seeded-random.js';
import {
  type PendingChange,
  pageLength,
  SimulatedFile,
  type SyncFailure,
  tornChanges,
  type UnreadableBytes,
} from './simulated-file.js';

/** What a power cut leaves of everything that was not synced. */
export const crashPolicies = [
  'nothing', // M0
  'everything', // M1
  'prefix', // M2: of all changes, in the order they were made
  'sectors', // M3: any sectors of any write
  'sizes', // M4: files have their sizes, but zeros in them
  'names', // M5: creates and renames, without what was written
  'garbage', // M6: like sectors, some of them rubbish
] as const;
export type CrashPolicy = (typeof crashPolicies)[number];

export type Operation = Exclude<keyof Disk, 'space'> | 'space';

/** Fails the `nth` call (from 1) of an operation, and all later ones if it is `lasting`. */
export interface PlannedFailure {
  readonly operation: Operation;
  readonly nth: number;
  readonly code: string;
  readonly lasting?: boolean;
  /** Only calls for paths that begin so count, from the moment when the failure is planned. */
  readonly under?: string;
  /** For `sync`; without it the pages stay pending. */
  readonly syncFailure?: SyncFailure;
  /** For `write`: this much of it still gets in; with no `code` it is a short write. */
  readonly partially?: boolean;
}

type Entry = SimulatedFile | Directory;

/** A change of names that no directory fsync has made durable. */
interface PendingName {
  readonly order: number;
  readonly set?: { readonly name: string; readonly entry: Entry };
  readonly deleted?: { readonly directory: Directory; readonly name: string };
}

class Directory {
  durable = new Map<string, Entry>();
  cache = new Map<string, Entry>();
  pending: PendingName[] = [];

  sync(kept: readonly PendingName[] = this.pending): void {
    for (const { set, deleted } of kept) {
      if (deleted !== undefined) deleted.directory.durable.delete(deleted.name);
      if (set !== undefined) this.durable.set(set.name, set.entry);
    }
    this.pending = [];
  }
}

/** Without a stack: a missing file is an everyday answer, and a stack costs more than the rest. */
function diskFailure(code: string, path: string): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const error = Object.assign(new Error(`${code}: ${path}`), { code });
  Error.stackTraceLimit = limit;
  return error;
}

interface OpenHandle {
  readonly file: SimulatedFile;
  readonly path: string;
  readonly mode: OpenMode;
}

export class SimulatedDisk implements Disk {
  /** Called after every operation that changes something: a crash could be here. */
  afterChange: (() => void) | null = null;
  failures: PlannedFailure[] = [];
  /** What is under way ends in any order, as on a pool of threads; if not, at once. */
  interleaves = false;
  /** What `space` says while there is no end to the disk. */
  freeBytes = 2 ** 40;
  /** Where the disk ends: every name takes a page of 4096 bytes, and every page that is written. */
  capacityBytes = Number.POSITIVE_INFINITY;
  /** How often each operation was called. */
  readonly calls = new Map<Operation, number>();
  /** Files whose fdatasync failed and was called again: its answer proves nothing. */
  readonly retriedSyncs: string[] = [];
  private readonly callsOf = new WeakMap<PlannedFailure, number>();
  private readonly failedSyncs = new Set<SimulatedFile>();
  private root = new Directory();
  private readonly open_ = new Map<FileHandle, OpenHandle>();
  private readonly locks = new Set<SimulatedFile | Directory>();
  private nextHandle = 3;
  private order = 0;
  private readonly underWay: (() => void)[] = [];

  constructor(readonly random = new SeededRandom(1)) {}

  /** The same state as another disk: what happens to one does not happen to the other. */
  copy(): SimulatedDisk {
    const copy = new SimulatedDisk(new SeededRandom(this.random.below(2 ** 32)));
    const copies = new Map<Entry, Entry>();
    copy.root = copyDirectory(this.root, copies);
    copy.order = this.order;
    return copy;
  }

  /** kill -9: the process is gone, the cache is not. */
  restart(): SimulatedDisk {
    return this.copy();
  }

  /** Power cut: what the policy leaves is all there is. */
  crash(policy: CrashPolicy, seed: number): SimulatedDisk {
    const disk = this.copy();
    const random = new SeededRandom(seed);
    const directories: Directory[] = [];
    const files = new Set<SimulatedFile>();
    collect(disk.root, directories, files);
    const cut = random.below(disk.order + 2);
    for (const directory of directories) {
      const keptCount =
        policy === 'nothing'
          ? 0
          : policy === 'prefix'
            ? directory.pending.filter(({ order }) => order < cut).length
            : policy === 'sectors' || policy === 'garbage'
              ? random.below(directory.pending.length + 1)
              : directory.pending.length;
      directory.sync(directory.pending.slice(0, keptCount));
    }
    for (const file of files) file.survive(survivors(file, policy, cut, random));
    for (const directory of directories) directory.cache = new Map(directory.durable);
    return disk;
  }

  /** The content of every file by its path, as readers see it. */
  files(): Map<string, Buffer> {
    const found = new Map<string, Buffer>();
    const walk = (directory: Directory, path: string) => {
      for (const [name, entry] of directory.cache) {
        if (entry instanceof Directory) walk(entry, `${path}/${name}`);
        else found.set(`${path}/${name}`, entry.cache.bytes());
      }
    };
    walk(this.root, '');
    return found;
  }

  /** Puts bytes into a file, durably: damage, or the work of another program. */
  damage(path: string, change: (bytes: Buffer) => Buffer): void {
    const file = this.fileAt(path);
    const bytes = change(file.cache.bytes());
    file.durable.resize(0);
    file.durable.write(0, bytes);
    file.cache = file.durable.copy();
    file.pending = [];
  }

  /** No read of a file gives these bytes from now on, by whichever of its names; null: all do. */
  spoil(path: string, bytes: UnreadableBytes | null): void {
    this.fileAt(path).unreadable = bytes;
  }

  makeDirectory(path: string): Promise<void> {
    return this.change('makeDirectory', path, () => {
      const parent = this.directoryAt(dirname(path));
      if (parent.cache.has(basename(path))) return;
      if (this.freePages < 1) throw diskFailure('ENOSPC', path);
      this.setName(parent, basename(path), new Directory());
    });
  }

  list(path: string): Promise<string[]> {
    return this.run('list', path, () => [...this.directoryAt(path).cache.keys()].sort());
  }

  open(path: string, mode: OpenMode): Promise<FileHandle> {
    return this.run('open', path, () => {
      const parent = this.directoryAt(dirname(path));
      const name = basename(path);
      if (mode === 'create') {
        if (parent.cache.has(name)) throw diskFailure('EEXIST', path);
        if (this.freePages < 1) throw diskFailure('ENOSPC', path);
        this.setName(parent, name, new SimulatedFile());
        this.afterChange?.();
      }
      const handle = this.nextHandle++;
      this.open_.set(handle, { file: this.fileAt(path), path, mode });
      return handle;
    });
  }

  close(handle: FileHandle): Promise<void> {
    return this.run('close', this.handle(handle).path, () => {
      this.open_.delete(handle);
    });
  }

  size(handle: FileHandle): Promise<number> {
    const { file, path } = this.handle(handle);
    return this.run('size', path, () => file.cache.length);
  }

  sizeAt(path: string): Promise<number> {
    return this.run('size', path, () => this.fileAt(path).cache.length);
  }

  read(handle: FileHandle, target: Buffer, position: number): Promise<number> {
    const { file, path } = this.handle(handle);
    return this.run('read', path, () => {
      const length = file.read(position, target);
      if (length === null) throw diskFailure('EIO', path);
      return length;
    });
  }

  write(handle: FileHandle, source: Buffer, position: number): Promise<number> {
    const { file, path, mode } = this.handle(handle);
    if (mode === 'read') throw new Error(`${path} is open for reading only`);
    const half = source.subarray(0, Math.ceil(source.length / 2));
    const partial = () => file.write(this.order++, position, half);
    return this.change(
      'write',
      path,
      (short) => {
        const wanted = short ? half : source;
        const bytes = wanted.subarray(0, this.fitting(file, wanted, position));
        if (bytes.length === 0 && wanted.length > 0) throw diskFailure('ENOSPC', path);
        file.write(this.order++, position, bytes);
        return bytes.length;
      },
      partial,
    );
  }

  /** Both halves count, and a crash may come between them. */
  async writeSynced(handle: FileHandle, source: Buffer, position: number): Promise<number> {
    const { path, mode } = this.handle(handle);
    if (mode !== 'synced') throw new Error(`${path} is not open for synced writes`);
    const written = await this.write(handle, source, position);
    await this.sync(handle);
    return written;
  }

  truncate(handle: FileHandle, length: number): Promise<void> {
    const { file, path } = this.handle(handle);
    return this.change('truncate', path, () => file.resize(this.order++, length));
  }

  sync(handle: FileHandle): Promise<void> {
    const { file, path } = this.handle(handle);
    return this.change(
      'sync',
      path,
      () => {
        if (this.failedSyncs.has(file)) this.retriedSyncs.push(path);
        if (file.failsNextSync) {
          file.failsNextSync = false;
          throw diskFailure('EIO', path);
        }
        file.sync();
      },
      (failure) => {
        if (failure.syncFailure !== 'late') this.failedSyncs.add(file);
        if (failure.syncFailure !== undefined) file.failSync(failure.syncFailure);
      },
    );
  }

  syncDirectory(path: string): Promise<void> {
    return this.change('syncDirectory', path, () => this.directoryAt(path).sync());
  }

  rename(from: string, to: string): Promise<void> {
    return this.change('rename', from, () => {
      const source = this.directoryAt(dirname(from));
      const target = this.directoryAt(dirname(to));
      const entry = source.cache.get(basename(from));
      if (entry === undefined) throw diskFailure('ENOENT', from);
      source.cache.delete(basename(from));
      target.cache.set(basename(to), entry);
      target.pending.push({
        order: this.order++,
        set: { name: basename(to), entry },
        deleted: { directory: source, name: basename(from) },
      });
    });
  }

  link(from: string, to: string): Promise<void> {
    return this.change('link', from, () => {
      const file = this.fileAt(from);
      const parent = this.directoryAt(dirname(to));
      if (parent.cache.has(basename(to))) throw diskFailure('EEXIST', to);
      if (this.freePages < 1) throw diskFailure('ENOSPC', to);
      this.setName(parent, basename(to), file);
    });
  }

  hasOtherNames(path: string): Promise<boolean> {
    return this.run('hasOtherNames', path, () => {
      const file = this.fileAt(path);
      const namesIn = (directory: Directory): number =>
        [...directory.cache.values()].reduce((sum, entry) => {
          return sum + (entry instanceof Directory ? namesIn(entry) : Number(entry === file));
        }, 0);
      return namesIn(this.root) > 1;
    });
  }

  remove(path: string): Promise<void> {
    return this.change('remove', path, () => {
      const named = this.directoryAt(dirname(path)).cache.get(basename(path));
      if (named instanceof Directory) throw diskFailure('EISDIR', path);
      this.fileAt(path);
      this.deleteName(path);
    });
  }

  removeDirectory(path: string): Promise<void> {
    return this.change('removeDirectory', path, () => {
      if (this.directoryAt(path).cache.size > 0) throw diskFailure('ENOTEMPTY', path);
      this.deleteName(path);
    });
  }

  space(path: string): Promise<Space> {
    return this.run('space', path, () => {
      if (this.capacityBytes === Number.POSITIVE_INFINITY) {
        return { available: this.freeBytes, total: 2 ** 41 };
      }
      return { available: Math.max(0, this.freePages * pageLength), total: this.capacityBytes };
    });
  }

  /** No folder is replaced in simulations. */
  async identityOf(path: string): Promise<string> {
    return path;
  }

  lock(path: string): Promise<(() => Promise<void>) | null> {
    return this.run('lock', path, () => {
      const parent = this.directoryAt(dirname(path));
      const found = parent.cache.get(basename(path));
      const file = found ?? new SimulatedFile();
      // As the kernel's: of the file, whatever its name becomes.
      if (this.locks.has(file)) return null;
      if (found === undefined) this.setName(parent, basename(path), file);
      this.locks.add(file);
      return async () => {
        this.locks.delete(file);
      };
    });
  }

  /** Bytes that all names and all that is written take, as `capacityBytes` counts them. */
  get usedBytes(): number {
    const walk = (directory: Directory): number => {
      let pages = 0;
      for (const entry of directory.cache.values()) {
        pages += 1 + (entry instanceof Directory ? walk(entry) : entry.cache.pageCount);
      }
      return pages;
    };
    return walk(this.root) * pageLength;
  }

  /** Whether the call came that was to fail; of one that names where. */
  hasFired(planned: PlannedFailure): boolean {
    return (this.callsOf.get(planned) ?? 0) >= planned.nth;
  }

  /** Files that are still open: a leak, once a store is closed. */
  get openPaths(): string[] {
    return [...this.open_.values()].map(({ path }) => path);
  }

  private get freePages(): number {
    if (this.capacityBytes === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.floor((this.capacityBytes - this.usedBytes) / pageLength));
  }

  /** How many bytes of a write get in: what is there already is overwritten, whatever room is. */
  private fitting({ cache }: SimulatedFile, source: Buffer, position: number): number {
    return cache.fitting(position, source.length, this.freePages);
  }

  private change<T>(
    operation: Operation,
    path: string,
    work: (short: boolean) => T,
    onFailure: (failure: PlannedFailure) => void = () => undefined,
  ): Promise<T> {
    return this.run(
      operation,
      path,
      (short) => {
        const result = work(short);
        this.afterChange?.();
        return result;
      },
      onFailure,
    );
  }

  private async run<T>(
    operation: Operation,
    path: string,
    work: (short: boolean) => T,
    onFailure: (failure: PlannedFailure) => void = () => undefined,
  ): Promise<T> {
    const call = (this.calls.get(operation) ?? 0) + 1;
    this.calls.set(operation, call);
    const failure = this.failures.find((planned) => {
      if (planned.operation !== operation) return false;
      const turn =
        planned.under === undefined ? call : this.callsUnder(planned, planned.under, path);
      return planned.nth === turn || (planned.lasting === true && planned.nth < turn);
    });
    if (this.interleaves) await this.turn();
    if (failure === undefined) return work(false);
    if (failure.code === '') return work(true);
    onFailure(failure);
    if (failure.syncFailure === 'late') return work(false);
    throw diskFailure(failure.code, path);
  }

  /** Which of the calls for such a path this one is; 0 for another path. */
  private callsUnder(planned: PlannedFailure, under: string, path: string): number {
    if (!path.startsWith(under)) return 0;
    const turn = (this.callsOf.get(planned) ?? 0) + 1;
    this.callsOf.set(planned, turn);
    return turn;
  }

  /** Settles when it is this operation's turn: the seed picks whose it is. */
  private turn(): Promise<void> {
    return new Promise((resolve) => {
      this.underWay.push(resolve);
      setImmediate(() => {
        const [next] = this.underWay.splice(this.random.below(this.underWay.length), 1);
        next?.();
      });
    });
  }

  private handle(handle: FileHandle): OpenHandle {
    const open = this.open_.get(handle);
    if (open === undefined) throw new Error(`handle ${handle} is not open`);
    return open;
  }

  private setName(directory: Directory, name: string, entry: Entry): void {
    directory.cache.set(name, entry);
    directory.pending.push({ order: this.order++, set: { name, entry } });
  }

  private deleteName(path: string): void {
    const directory = this.directoryAt(dirname(path));
    const name = basename(path);
    directory.cache.delete(name);
    directory.pending.push({ order: this.order++, deleted: { directory, name } });
  }

  private directoryAt(path: string): Directory {
    let entry: Entry | undefined = this.root;
    for (const name of namesOf(path)) {
      entry = entry instanceof Directory ? entry.cache.get(name) : undefined;
    }
    if (!(entry instanceof Directory)) throw diskFailure('ENOENT', path);
    return entry;
  }

  private fileAt(path: string): SimulatedFile {
    const entry = this.directoryAt(dirname(path)).cache.get(basename(path));
    if (!(entry instanceof SimulatedFile)) throw diskFailure('ENOENT', path);
    return entry;
  }
}

/** Splitting paths is a tenth of what a hundred thousand crashes cost, and few differ. */
const knownNames = new Map<string, readonly string[]>();

/** The names on the way to a path, from the root. */
function namesOf(path: string): readonly string[] {
  let names = knownNames.get(path);
  if (names === undefined) {
    names = path.split('/').filter((part) => part !== '' && part !== '.');
    knownNames.set(path, names);
  }
  return names;
}

function survivors(
  file: SimulatedFile,
  policy: CrashPolicy,
  cut: number,
  random: SeededRandom,
): PendingChange[] {
  const own = file.pending;
  switch (policy) {
    case 'nothing':
    case 'names':
      return [];
    case 'everything':
      return own;
    case 'prefix':
      return own.filter(({ order }) => order < cut);
    case 'sizes':
      return own.map((change) => {
        if (change.kind === 'resize') return change;
        const length = Math.max(file.durable.length, change.position + change.bytes.length);
        return { order: change.order, file, kind: 'resize', length };
      });
    case 'sectors':
    case 'garbage':
      return own.flatMap((change) => tornChanges(change, random, policy === 'garbage'));
  }
}

function collect(directory: Directory, directories: Directory[], files: Set<SimulatedFile>): void {
  directories.push(directory);
  const entries = new Set([...directory.cache.values(), ...directory.durable.values()]);
  for (const { set } of directory.pending) if (set !== undefined) entries.add(set.entry);
  for (const entry of entries) {
    if (entry instanceof SimulatedFile) files.add(entry);
    else if (!directories.includes(entry)) collect(entry, directories, files);
  }
}

function copyDirectory(from: Directory, copies: Map<Entry, Entry>): Directory {
  const known = copies.get(from);
  if (known instanceof Directory) return known;
  const to = new Directory();
  copies.set(from, to);
  const copyEntry = (entry: Entry): Entry => {
    if (entry instanceof Directory) return copyDirectory(entry, copies);
    const copied = copies.get(entry) ?? entry.copy();
    copies.set(entry, copied);
    return copied;
  };
  for (const [name, entry] of from.durable) to.durable.set(name, copyEntry(entry));
  for (const [name, entry] of from.cache) to.cache.set(name, copyEntry(entry));
  to.pending = from.pending.map(({ order, set, deleted }) => ({
    order,
    ...(set === undefined ? {} : { set: { name: set.name, entry: copyEntry(set.entry) } }),
    ...(deleted === undefined
      ? {}
      : { deleted: { directory: copyDirectory(deleted.directory, copies), name: deleted.name } }),
  }));
  return to;
}
