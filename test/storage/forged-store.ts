/**
 * An attacker who has the folder and the source: changes records of a stopped store and makes every
 * checksum, link, footer, digest, manifest and chain agree, as if it had always been so.
 */
import { createHash } from 'node:crypto';
import { decodeChain, encodeEntry, firstLink, nextEntry } from '../../storage/chain/chain-file.js';
import { isProven, recordsOf } from '../../storage/chain/chain-work.js';
import { mergedParts, rootOf } from '../../storage/chain/record-trie.js';
import type { Disk } from '../../storage/disk/disk.js';
import { StoreDirectory } from '../../storage/disk/store-directory.js';
import { readWhole, writeAside } from '../../storage/disk/whole-file.js';
import { BatchScan } from '../../storage/format/batch-scan.js';
import { batchHeaderLength, logTagOf, sealBatch } from '../../storage/format/record-batch.js';
import {
  decodeSegmentHeader,
  encodeSegmentFooter,
  encodeSegmentHeader,
  segmentHeaderLength,
} from '../../storage/format/segment-format.js';
import type { ManifestLog, ManifestSegment } from '../../storage/manifest/manifest.js';
import { loadManifest, ManifestFile } from '../../storage/manifest/manifest-file.js';

/** Changes the bytes of a batch's body in place, without changing its length. */
export type Forgery = (body: Buffer, baseOffset: number) => void;

/** Forges a log of the store in `path`; with `keepUntil`, drops the records from that offset on. */
export async function forgeStore(
  disk: Disk,
  path: string,
  name: string,
  { change = () => undefined, keepUntil = Number.POSITIVE_INFINITY }: ForgedParts,
): Promise<void> {
  const directory = new StoreDirectory(path);
  const loaded = await loadManifest(disk, directory);
  const log = loaded?.state.logs.find((each) => each.name === name);
  if (loaded === null || log === undefined) throw new Error(`no log ${name} to forge`);
  const { storeId, state } = loaded;
  const forged: ManifestSegment[] = [];
  const forger = new LogForger(disk, directory, log, logTagOf(storeId, log.id), change);
  const isCut = ({ end }: ManifestSegment) => end === null || end.nextOffset > keepUntil;
  const cut = log.segments.findIndex((segment) => Number.isFinite(keepUntil) && isCut(segment));
  for (const segment of log.segments.slice(0, cut < 0 ? undefined : cut)) {
    forged.push(await forger.forge(segment));
  }
  for (const { number } of cut < 0 ? [] : log.segments.slice(cut)) {
    await disk.remove(directory.segment(log.id, number));
    await disk.remove(directory.index(log.id, number)).catch(() => undefined);
  }
  const logs = state.logs.map((each) => (each === log ? { ...log, segments: forged } : each));
  const closed = state.closed?.filter(({ id }) => id !== log.id || cut < 0) ?? null;
  const ends = closed?.map((each) => {
    const lastChecksum = each.id === log.id ? forger.lastChecksums.get(each.number) : undefined;
    return lastChecksum === undefined ? each : { ...each, end: { ...each.end, lastChecksum } };
  });
  const said = { ...state, logs, closed: ends ?? null };
  const manifest = new ManifestFile(disk, directory, { ...loaded, state: said });
  await manifest.beginGeneration();
  await manifest.close();
  await forger.forgeChain(storeId, forged);
}

export interface ForgedParts {
  readonly change?: Forgery;
  readonly keepUntil?: number;
}

class LogForger {
  readonly lastChecksums = new Map<number, number>();
  private last: { readonly lastChecksum: number; readonly end: number } | null = null;

  constructor(
    private readonly disk: Disk,
    private readonly directory: StoreDirectory,
    private readonly log: ManifestLog,
    private readonly logTag: number,
    private readonly change: Forgery,
  ) {}

  async forge(segment: ManifestSegment): Promise<ManifestSegment> {
    const { disk, directory, log, logTag, last } = this;
    const path = directory.segment(log.id, segment.number);
    const bytes = await readWhole(disk, path);
    const header = decodeSegmentHeader(bytes);
    if (header === null) return segment;
    const chainSeed = last?.lastChecksum ?? 0;
    encodeSegmentHeader(bytes, { ...header, chainSeed, previousEnd: last?.end ?? 0 });
    const file = await disk.open(path, 'read');
    const limit = segment.end?.end ?? bytes.length;
    const scan = new BatchScan({
      disk,
      file,
      position: segmentHeaderLength,
      limit,
      logTag,
      chain: null,
      chunkBytes: 1024,
    });
    let lastChecksum = chainSeed;
    for (let found = await scan.next(); found.length > 0; found = await scan.next()) {
      for (const { header: batch, position } of found) {
        const start = position + batchHeaderLength;
        this.change(bytes.subarray(start, start + batch.bodyLength), batch.baseOffset);
        lastChecksum = sealBatch(bytes, position, batch, {
          ...batch,
          previousChecksum: lastChecksum,
        });
      }
    }
    const { position } = scan;
    await disk.close(file);
    this.last = { lastChecksum, end: position };
    this.lastChecksums.set(segment.number, lastChecksum);
    // It is rebuilt from the records.
    await disk.remove(directory.index(log.id, segment.number)).catch(() => undefined);
    if (segment.end === null) {
      await writeAside(disk, path, bytes);
      return segment;
    }
    const end = { ...segment.end, lastChecksum };
    const content = bytes.subarray(0, position);
    const digest = createHash('sha256').update(content).digest();
    await writeAside(disk, path, Buffer.concat([content, encodeSegmentFooter(end, digest)]));
    return { number: segment.number, end, digest: digest.toString('hex') };
  }

  /** Every entry, as if the present records had always been there. */
  async forgeChain(storeId: Buffer, segments: readonly ManifestSegment[]): Promise<void> {
    const { disk, directory, log, logTag } = this;
    const first = firstLink(storeId, log.id);
    const { entries } = decodeChain(await readWhole(disk, directory.chain(log.id)), first);
    const sealed = segments.flatMap(({ number, end }) => {
      const prunedPath = directory.pruned(log.id, number);
      const path = directory.segment(log.id, number);
      return end === null ? [] : [{ path, end: end.end, prunedPath, until: end.nextOffset }];
    });
    const until = sealed.at(-1)?.until ?? 0;
    const left = entries.filter(({ nextOffset }) => nextOffset <= until);
    const forged: Buffer[] = [];
    let link = first;
    for await (const found of recordsOf(disk, logTag, sealed, left)) {
      const { baseOffset, nextOffset } = found.part;
      const parts = mergedParts(found.leaves, found.pruned);
      const root = isProven(found.part, found)
        ? found.part.root
        : rootOf(parts, baseOffset, nextOffset);
      const entry = nextEntry(link, { ...found.part, root });
      forged.push(encodeEntry(entry));
      link = entry.link;
    }
    await writeAside(disk, directory.chain(log.id), Buffer.concat(forged));
  }
}
