/**
 * The part of another node's folder that had arrived when the fetching process ended. The next
 * process continues from there if it has to fetch a folder again, and otherwise removes it (ADR
 * 88).
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

  /** The address of the node that it comes from; null if there is none, or it is unknown. */
  async source(): Promise<string | null> {
    const text = await readWhole(this.disk, this.fetchingFrom).catch(() => null);
    return text === null ? null : text.toString();
  }

  /** Notes that the node at `origin` is about to send what is missing. */
  begin(origin: string): Promise<void> {
    return writeAside(this.disk, this.fetchingFrom, Buffer.from(origin));
  }

  /** Removes the folder and the file, if they exist. */
  async drop(): Promise<void> {
    await this.disk.remove(this.fetchingFrom).catch(() => undefined);
    await removeTree(this.disk, this.fetching);
  }
}
