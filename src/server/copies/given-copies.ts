/** Gives other nodes a copy of this node's folder, as a backup has it, with its snapshots. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Disk } from '../../../storage/disk/disk.js';
import { removeTree } from '../../../storage/disk/remove-tree.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import type { Store, StoreOptions } from '../../../storage/store.js';
import { journalLogName } from '../../engine/journal.js';
import { jsonAs } from '../../grammar/json.js';
import { copyFolder } from '../backup/folder-backup.js';
import { chunksOf, filesIn, isHeld } from './copied-files.js';
import {
  askSchema,
  type CopyAsk,
  type CopyHead,
  goesAlong,
  placesIn,
  signatureOf,
  signatureTrailer,
} from './copy-format.js';

/** The collaborators. */
export interface GivenCopiesPorts {
  readonly disk: Disk;
  readonly dataDirectory: string;
  /** For reading the folder while its store is in use. */
  readonly options: StoreOptions;
  readonly snapshots: Store['snapshots'];
  /** The secret that nodes share. */
  readonly secret: string;
  /** How long another node may take nothing of its copy, in milliseconds. */
  readonly stalledMs?: number;
}

/**
 * Limits how long a hanging receiver may keep a copy: until then no other node gets a copy, and
 * swept files stay on the disk of this node.
 */
const stalledMsDefault = 600_000;
const stalled = 'the other node takes nothing of its copy any more';

/** A file to send, and its location. */
type SentFile = CopyHead['files'][number] & { readonly from: string };

/**
 * One instance per node. The copy is of one moment, made in `given` inside the data folder, and
 * removed once it is sent or broken off.
 */
export class GivenCopies {
  private isGiving = false;

  constructor(private readonly ports: GivenCopiesPorts) {}

  /**
   * Answers a request with this seed and body by a copy of the folder as it is now, without the
   * files that the other node holds. Serves one request at a time; answers 503 to others.
   */
  async give(seed: string, body: Buffer, response: ServerResponse): Promise<void> {
    const ask = jsonAs(body, askSchema);
    if (ask === null) {
      response.writeHead(400, { 'content-length': '0' }).end();
      return;
    }
    if (this.isGiving) {
      response.writeHead(503, { 'content-length': '0', 'retry-after': '30' }).end();
      return;
    }
    this.isGiving = true;
    const { disk, dataDirectory, snapshots, stalledMs = stalledMsDefault } = this.ports;
    const { given } = placesIn(dataDirectory);
    let unpin = (): void => undefined;
    try {
      const offsets = await snapshots.offsets();
      unpin = snapshots.pin(offsets);
      response.writeHead(200, { trailer: signatureTrailer });
      // The copy is made and verified first, which may take minutes.
      response.flushHeaders();
      const files = await this.files(given, offsets, ask);
      const stall = new AbortController();
      response.once('timeout', () => stall.abort(new Error(stalled)));
      const { socket } = response;
      if (socket !== null) socket.setTimeout(stalledMs);
      const { signal } = stall;
      const bytes = Readable.from(this.bytes(files, seed, response));
      await pipeline(bytes, response, { signal }).catch((error: unknown) => {
        // Newer versions of Node.js report only that the response was closed.
        throw signal.aborted ? signal.reason : error;
      });
    } finally {
      unpin();
      await removeTree(disk, given).catch(() => undefined);
      this.isGiving = false;
    }
  }

  private async files(
    given: string,
    offsets: readonly number[],
    { held }: CopyAsk,
  ): Promise<readonly SentFile[]> {
    const { disk, dataDirectory, options } = this.ports;
    await removeTree(disk, given);
    const tools = { disk, options, onProgress: () => undefined };
    const { logs } = await copyFolder(tools, dataDirectory, given);
    const until = logs.find(({ name }) => name === journalLogName)?.until ?? 0;
    const paths = await filesIn(disk, given);
    const own = new StoreDirectory(dataDirectory);
    const sources = [
      ...paths.map((path) => ({ path, from: join(given, path) })),
      ...(await disk.list(own.snapshots).catch(() => []))
        .filter((name) => Number(name.slice(0, 20)) <= until)
        .filter((name) => offsets.includes(Number(name.slice(0, 20))))
        .map((name) => ({ path: `snapshots/${name}`, from: join(own.snapshots, name) })),
    ].filter(({ path }) => goesAlong(path));
    const heldFiles = new Map(held.map((file) => [file.path, file]));
    const files: SentFile[] = [];
    for (const { path, from } of sources) {
      const there = heldFiles.get(path);
      const exists = there !== undefined && (await isHeld(disk, from, there));
      files.push({ path, from, bytes: await disk.sizeAt(from), isHeld: exists });
    }
    return files;
  }

  private async *bytes(
    files: readonly SentFile[],
    seed: string,
    response: ServerResponse,
  ): AsyncGenerator<Buffer> {
    const { disk, secret } = this.ports;
    const hash = createHash('sha256');
    const hashed = (bytes: Buffer) => {
      hash.update(bytes);
      return bytes;
    };
    const head: CopyHead = { files: files.map(({ from: _, ...file }) => file) };
    yield hashed(Buffer.from(`${JSON.stringify(head)}\n`));
    for (const { from, bytes, isHeld: isLeftOut } of files) {
      if (isLeftOut) continue;
      for await (const chunk of chunksOf(disk, from, bytes)) yield hashed(chunk);
    }
    response.addTrailers({ [signatureTrailer]: signatureOf(secret, seed, hash.digest('hex')) });
  }
}
