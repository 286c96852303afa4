/** The only port to the file system; one implementation uses Node, another simulates a disk. */

/** An open file. */
export type FileHandle = number;

/**
 * `create`: must not exist; `write`: must exist, read and write; `synced`: like `write`, and also
 * for `writeSynced`; `read`: must exist, read only.
 */
export type OpenMode = 'create' | 'write' | 'synced' | 'read';

/** Free and total bytes of a path's file system; 0 available means that no file can be made. */
export interface Space {
  readonly available: number;
  readonly total: number;
}

/**
 * Files as this library needs them. Every error carries an errno name in `code`. Nothing is durable
 * before `sync` or `writeSynced` (a file's bytes and size) and `syncDirectory` (its name) have
 * returned.
 */
export interface Disk {
  /** Makes one directory; an existing one is fine. */
  makeDirectory(path: string): Promise<void>;
  /** The names in a directory, sorted. */
  list(path: string): Promise<string[]>;
  open(path: string, mode: OpenMode): Promise<FileHandle>;
  close(file: FileHandle): Promise<void>;
  /** Bytes in the file. */
  size(file: FileHandle): Promise<number>;
  /** Bytes in the file at a path, without opening it. */
  sizeAt(path: string): Promise<number>;
  /** Fills `target` from `position` on; returns the bytes read, fewer at the end of the file. */
  read(file: FileHandle, target: Buffer, position: number): Promise<number>;
  /** Writes at `position`; returns the bytes written, which may be fewer: the caller loops. */
  write(file: FileHandle, source: Buffer, position: number): Promise<number>;
  /**
   * Like `write`, but the bytes reported as written are durable. After an error nothing is known
   * about the file's bytes: never call it, or `sync`, again.
   */
  writeSynced(file: FileHandle, source: Buffer, position: number): Promise<number>;
  truncate(file: FileHandle, length: number): Promise<void>;
  /** fdatasync. After an error nothing is known about the file's bytes: never call it again. */
  sync(file: FileHandle): Promise<void>;
  /** fsync of a directory: creates, renames and removals in it become durable. */
  syncDirectory(path: string): Promise<void>;
  /** Replaces `to` in one step if it exists. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, which must be free; not every file system supports this. */
  link(from: string, to: string): Promise<void>;
  /** Whether the file at a path has another name (a hard link), which shares its bytes. */
  hasOtherNames(path: string): Promise<boolean>;
  /** Names the file at a path: another one that takes its place has another name. */
  identityOf(path: string): Promise<string>;
  /** Removes a file. */
  remove(path: string): Promise<void>;
  /** Removes an empty directory. */
  removeDirectory(path: string): Promise<void>;
  space(path: string): Promise<Space>;
  /** Takes the exclusive lock of a file, creating it; null if another process has the lock. */
  lock(path: string): Promise<(() => Promise<void>) | null>;
}
