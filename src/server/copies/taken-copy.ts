/** Receives a copy of another node's folder, and verifies it before it counts. */
import { createHash, type Hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Disk } from '../../../storage/disk/disk.js';
import { removeTree } from '../../../storage/disk/remove-tree.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { withFile, writeFully } from '../../../storage/disk/whole-file.js';
import type { StoreOptions } from '../../../storage/store.js';
import { jsonAs } from '../../grammar/json.js';
import { takeBackup } from '../backup/restore.js';
import { filesIn } from './copied-files.js';
import {
  type CopyHead,
  type HeldFile,
  headBytesMax,
  headSchema,
  placesIn,
  signatureOf,
  signatureTrailer,
} from './copy-format.js';

/** The collaborators. */
export interface TakenCopyPorts {
  readonly disk: Disk;
  readonly dataDirectory: string;
  readonly options: StoreOptions;
  readonly secret: string;
}

/** How many bytes must remain free beside the copy. */
const freeBytesMin = 64 * 1024 * 1024;

/** What arrived is not a usable copy. */
class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/** The copy was interrupted: the next one can leave out the files that have arrived. */
export class CopyCut extends Error {
  override readonly name = 'CopyCut';

  constructor(
    /** How many files have arrived. */
    readonly files: number,
    /** The files that the copy sends: any of them may have changed. */
    readonly sent: readonly string[],
    cause: unknown,
  ) {
    super('the copy was cut', { cause });
  }
}

/**
 * Receives the answer to a request with this `seed` that listed `held` as the files in `fetching`
 * (`placesIn`), and puts the copy into `fetched`. Until then, all files are in `fetching`. Rejects
 * with `CopyCut`, `CopyRefused` or `DamagedData`, or as the disk does.
 */
export async function takeCopy(
  ports: TakenCopyPorts,
  answer: Dispatcher.ResponseData,
  seed: string,
  held: readonly HeldFile[] = [],
): Promise<CopyHead> {
  const { disk, dataDirectory, options, secret } = ports;
  const { fetching, fetched } = placesIn(dataDirectory);
  const hash = createHash('sha256');
  const incoming = new Incoming(answer.body, hash);
  const head = jsonAs(await incoming.line(), headSchema);
  if (head === null) throw new CopyRefused('the head of the copy is not ours');
  requireHeld(head, held);
  const others = await othersIn(disk, fetching, head);
  await requireRoom(ports, head, others);
  await removeOthers(disk, fetching, head, others);
  await makeDirectories(disk, fetching, head);
  await takeFiles(disk, fetching, head, incoming);
  await incoming.end();
  if (answer.trailers[signatureTrailer] !== signatureOf(secret, seed, hash.digest('hex'))) {
    throw new CopyRefused('the copy is not signed by the secret that nodes share');
  }
  await takeBackup({ disk, options, onProgress: () => undefined }, fetching, fetched);
  await takeSnapshots(disk, fetching, fetched);
  await removeTree(disk, fetching);
  return head;
}

function requireHeld({ files }: CopyHead, held: readonly HeldFile[]): void {
  const offered = new Map(held.map(({ path, bytes }) => [path, bytes]));
  const wrong = files.find(({ path, bytes, isHeld }) => isHeld && offered.get(path) !== bytes);
  if (wrong !== undefined) throw new CopyRefused(`${wrong.path} is left out, and is not here`);
}

/** The files of an earlier copy that this one sends again or does not have. */
async function othersIn(
  disk: Disk,
  fetching: string,
  { files }: CopyHead,
): Promise<readonly string[]> {
  const held = new Set(files.filter(({ isHeld }) => isHeld).map(({ path }) => path));
  return (await filesIn(disk, fetching)).filter((path) => !held.has(path));
}

async function removeOthers(
  disk: Disk,
  fetching: string,
  { files }: CopyHead,
  others: readonly string[],
): Promise<void> {
  if (!files.some(({ isHeld }) => isHeld)) return removeTree(disk, fetching);
  for (const path of others) await disk.remove(join(fetching, path));
}

async function takeFiles(
  disk: Disk,
  fetching: string,
  { files }: CopyHead,
  incoming: Incoming,
): Promise<void> {
  let taken = 0;
  const coming = files.filter(({ isHeld }) => !isHeld);
  for (const { path, bytes } of coming) {
    await withFile(disk, join(fetching, path), 'create', async (file) => {
      let position = 0;
      for await (const chunk of incoming.take(bytes)) {
        await writeFully(disk, file, chunk, position);
        position += chunk.length;
      }
      await disk.sync(file);
    }).catch((error: unknown) => {
      const sent = coming.map((file) => file.path);
      throw new CopyCut(taken, sent, error);
    });
    taken += 1;
  }
}

/** Files of an earlier copy make room for this one: they are removed before it is taken. */
async function requireRoom(
  { disk, dataDirectory }: TakenCopyPorts,
  head: CopyHead,
  others: readonly string[],
): Promise<void> {
  const coming = head.files.filter(({ isHeld }) => !isHeld);
  const needed = coming.reduce((sum, { bytes }) => sum + bytes, freeBytesMin);
  const { fetching } = placesIn(dataDirectory);
  let { available } = await disk.space(dataDirectory);
  for (const path of others) available += await disk.sizeAt(join(fetching, path));
  if (available >= needed) return;
  throw new CopyRefused(`the copy needs ${needed} bytes, and ${available} are free`);
}

async function makeDirectories(disk: Disk, folder: string, { files }: CopyHead): Promise<void> {
  const { logs, aside, snapshots } = new StoreDirectory(folder);
  for (const path of [folder, logs, aside, snapshots]) await disk.makeDirectory(path);
  const own = new Set(files.map(({ path }) => dirname(join(folder, path))));
  for (const path of own) await disk.makeDirectory(path);
}

/** Snapshots are a cache: a crash before this leaves a copy without them. */
async function takeSnapshots(disk: Disk, from: string, to: string): Promise<void> {
  await disk.rename(new StoreDirectory(from).snapshots, new StoreDirectory(to).snapshots);
  await disk.syncDirectory(to);
}

/** The incoming bytes, of which as many are consumed as the head says. */
class Incoming {
  private readonly chunks: AsyncIterator<Buffer>;
  private left: Buffer = Buffer.alloc(0);

  constructor(
    body: AsyncIterable<Buffer>,
    private readonly hash: Hash,
  ) {
    this.chunks = body[Symbol.asyncIterator]();
  }

  async line(): Promise<Buffer> {
    for (let line = this.left; line.length <= headBytesMax; ) {
      const end = line.indexOf(0x0a);
      if (end >= 0) {
        this.left = line.subarray(end + 1);
        this.hash.update(line.subarray(0, end + 1));
        return line.subarray(0, end);
      }
      line = Buffer.concat([line, await this.next()]);
    }
    throw new CopyRefused('the head of the copy is too long');
  }

  async *take(bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0; ) {
      if (this.left.length === 0) this.left = await this.next();
      const chunk = this.left.subarray(0, missing);
      this.left = this.left.subarray(chunk.length);
      missing -= chunk.length;
      this.hash.update(chunk);
      yield chunk;
    }
  }

  async end(): Promise<void> {
    const { done } = this.left.length > 0 ? { done: false } : await this.chunks.next();
    if (done !== true) throw new CopyRefused('the copy goes on behind its last file');
  }

  private async next(): Promise<Buffer> {
    const { done, value } = await this.chunks.next();
    if (done === true) throw new CopyRefused('the copy breaks off');
    return value;
  }
}
