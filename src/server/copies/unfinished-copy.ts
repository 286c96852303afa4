/**
 * What has come of another node's folder when the process that fetched it ended. The next one goes
 * on from there if it has to fetch a folder again, and lets it go if it has not (ADR 88).
 */
import type { Disk } from '../../../storage/disk/disk.js';
import { removeTree } from '../../../storage/disk/remove-tree.js';
import { readWhole, writeAside } from '../../../storage/disk/whole-file.js';
import { placesIn } from './copy-format.js';

/** The folder `fetching` within a data folder, and the file that names its source. */
export class UnfinishedCopy {
  private readonly fetching: string;
  private readonly fetchingFrom: string;

  constructor(
    private readonly disk: Disk,
    dataDirectory: string,
  ) {
    const { fetching, fetchingFrom } = placesIn(dataDirectory);
    this.fetching = fetching;
    this.fetchingFrom = fetchingFrom;
  }

  /** The address of the node that it comes from; null = there is none, or it is not known. */
  async source(): Promise<string | null> {
    const text = await readWhole(this.disk, this.fetchingFrom).catch(() => null);
    return text === null ? null : text.toString();
  }

  /** The node at `origin` is about to give what is missing. */
  begin(origin: string): Promise<void> {
    return writeAside(this.disk, this.fetchingFrom, Buffer.from(origin));
  }

  /** Removes both; nothing happens where there is none. */
  async drop(): Promise<void> {
    await this.disk.remove(this.fetchingFrom).catch(() => undefined);
    await removeTree(this.disk, this.fetching);
  }
}
