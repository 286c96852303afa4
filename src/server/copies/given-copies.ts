/** Gives other nodes a copy of this one's folder, as a backup has it, with its snapshots. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Disk } from '../../../storage/disk/disk.js';
import { removeTree } from '../../../storage/disk/remove-tree.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { readUpTo, withFile } from '../../../storage/disk/whole-file.js';
import type { Store, StoreOptions } from '../../../storage/store.js';
import { journalLogName } from '../../engine/journal.js';
import { backUp } from '../backup/folder-backup.js';
import {
  type CopyHead,
  goesAlong,
  placesIn,
  signatureOf,
  signatureTrailer,
} from './copy-format.js';

/** What it works with. */
export interface GivenCopiesPorts {
  readonly disk: Disk;
  readonly dataDirectory: string;
  /** For reading the folder beside its store. */
  readonly options: StoreOptions;
  readonly snapshots: Store['snapshots'];
  /** The one that nodes share. */
  readonly secret: string;
}

const chunkBytes = 256 * 1024;

/** A file that is sent, and where it lies. */
type SentFile = CopyHead['files'][number] & { readonly from: string };

export class GivenCopies {
  private isGiving = false;

  constructor(private readonly ports: GivenCopiesPorts) {}

  /**
   * Answers a request whose seed is `seed` with a copy of the folder as it is now; one at a time,
   * 503 to others. An answer that breaks off is worth nothing.
   */
  async give(seed: string, response: ServerResponse): Promise<void> {
    if (this.isGiving) {
      response.writeHead(503, { 'content-length': '0', 'retry-after': '30' }).end();
      return;
    }
    this.isGiving = true;
    const { disk, dataDirectory, snapshots } = this.ports;
    const { given } = placesIn(dataDirectory);
    let unpin = (): void => undefined;
    try {
      const offsets = await snapshots.offsets();
      unpin = snapshots.pin(offsets);
      response.writeHead(200, { trailer: signatureTrailer });
      // The copy is made and verified first, which may take minutes.
      response.flushHeaders();
      const files = await this.files(given, offsets);
      await pipeline(Readable.from(this.bytes(files, seed, response)), response);
    } finally {
      unpin();
      await removeTree(disk, given).catch(() => undefined);
      this.isGiving = false;
    }
  }

  private async files(given: string, offsets: readonly number[]): Promise<readonly SentFile[]> {
    const { disk, dataDirectory, options } = this.ports;
    await removeTree(disk, given);
    const tools = { disk, options, onProgress: () => undefined };
    const { logs } = await backUp(tools, dataDirectory, given);
    const until = logs.find(({ name }) => name === journalLogName)?.until ?? 0;
    const paths = await this.pathsOf(given);
    const own = new StoreDirectory(dataDirectory);
    const sources = [
      ...paths.map((path) => ({ path, from: join(given, path) })),
      ...(await disk.list(own.snapshots).catch(() => []))
        .filter((name) => Number(name.slice(0, 20)) <= until)
        .filter((name) => offsets.includes(Number(name.slice(0, 20))))
        .map((name) => ({ path: `snapshots/${name}`, from: join(own.snapshots, name) })),
    ].filter(({ path }) => goesAlong(path));
    const files: SentFile[] = [];
    for (const each of sources) files.push({ ...each, bytes: await disk.sizeAt(each.from) });
    return files;
  }

  private async pathsOf(given: string): Promise<string[]> {
    const { disk } = this.ports;
    const directory = new StoreDirectory(given);
    const paths = [...(await disk.list(given))];
    for (const log of await disk.list(directory.logs)) {
      const names = await disk.list(join(directory.logs, log));
      paths.push(...names.map((name) => `logs/${log}/${name}`));
    }
    return paths;
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
    const head: CopyHead = { files: files.map(({ path, bytes }) => ({ path, bytes })) };
    yield hashed(Buffer.from(`${JSON.stringify(head)}\n`));
    for (const { from, bytes } of files) {
      for (let at = 0; at < bytes; at += chunkBytes) {
        const length = Math.min(chunkBytes, bytes - at);
        const chunk = await withFile(disk, from, 'read', (file) =>
          readUpTo(disk, file, at, length),
        );
        if (chunk.length < length) throw new Error(`${from} has become shorter`);
        yield hashed(chunk);
      }
    }
    response.addTrailers({ [signatureTrailer]: signatureOf(secret, seed, hash.digest('hex')) });
  }
}
