/** The SHA-256 of a segment file, kept in its footer and in the manifest. */
import { createHash } from 'node:crypto';
import type { Disk, FileHandle } from '../disk/disk.js';
import { readInto, withFile } from '../disk/whole-file.js';

const chunkBytes = 1024 * 1024;

/** A file, and how many of its bytes count. */
export interface DigestQuestion {
  readonly path: string;
  readonly end: number;
}

/** Computes digests, perhaps in another thread. */
export interface SegmentDigests {
  /** Rejects if the file does not read back, or if its thread has ended. */
  digest(question: DigestQuestion): Promise<Uint8Array>;
}

/** The digest of the first `end` bytes of the file at a path; see `digestOf`. */
export function digestAt(
  disk: Disk,
  { path, end }: DigestQuestion,
  rest: () => void,
): Promise<Buffer> {
  return withFile(disk, path, 'read', (file) => digestOf(disk, file, end, rest));
}

/** The digest of the first `end` bytes of an open file; `rest` is called after each MiB. */
export async function digestOf(
  disk: Disk,
  file: FileHandle,
  end: number,
  rest: () => void = () => undefined,
): Promise<Buffer> {
  const hash = createHash('sha256');
  // One buffer for all chunks: V8 starts a full collection sooner the more buffers are allocated.
  const space = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end));
  for (let position = 0; position < end; position += chunkBytes) {
    const length = Math.min(chunkBytes, end - position);
    const chunk = await readInto(disk, file, position, space.subarray(0, length));
    if (chunk.length < length) throw new Error('a segment is shorter than what was written');
    hash.update(chunk);
    rest();
  }
  return hash.digest();
}
