/**
 * The files of the built console: few, small and of one build, so they stay in memory once read.
 * Files outside of that build are not looked up on the disk.
 */
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { Disk } from '../../storage/disk/disk.js';
import { readWhole } from '../../storage/disk/whole-file.js';
import { accepts } from '../http/bytes/packed-answer.js';

/** A form of a file, as the build has made it. */
interface FileForm {
  readonly bytes: Buffer;
  /** Its entity tag, for `ETag`. */
  readonly tag: string;
}

/** A file in a form that the browser accepts. */
export interface ConsoleFile extends FileForm {
  readonly contentType: string;
  /** null = not compressed. */
  readonly encoding: 'br' | 'gzip' | null;
  /** Its name contains a digest of its content, so it never changes. */
  readonly isImmutable: boolean;
}

/** The compressed forms that the build makes, smallest first. */
const encodings = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const;

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const assets = 'assets';

/** One instance per server. A build that replaces this one is seen at the next start. */
export class ConsoleFiles {
  private names: Promise<ReadonlySet<string>> | null = null;
  private readonly read = new Map<string, Promise<FileForm>>();

  /** `folder` contains the build; null = there is none. */
  constructor(
    private readonly disk: Disk,
    private readonly folder: string | null,
  ) {}

  /**
   * The file at a path below the folder (`assets/main-1a2b3c.js`), in the smallest form that an
   * `Accept-Encoding` allows; undefined if the build does not contain it.
   */
  async find(path: string, accepted: string): Promise<ConsoleFile | undefined> {
    const contentType = contentTypes[extname(path)];
    this.names ??= this.list();
    const names = await this.names;
    if (contentType === undefined || !names.has(path)) return undefined;
    const form = encodings.find(
      ({ encoding, suffix }) => accepts(accepted, encoding) && names.has(path + suffix),
    );
    const { bytes, tag } = await this.formOf(path + (form?.suffix ?? ''));
    const isImmutable = path.startsWith(`${assets}/`);
    return { contentType, encoding: form?.encoding ?? null, isImmutable, bytes, tag };
  }

  private async list(): Promise<ReadonlySet<string>> {
    const { folder, disk } = this;
    if (folder === null) return new Set();
    // A missing folder counts as empty: the console was not built.
    const listed = (path: string) => disk.list(path).catch(() => []);
    const [above, below] = await Promise.all([listed(folder), listed(join(folder, assets))]);
    return new Set([...above, ...below.map((name) => `${assets}/${name}`)]);
  }

  private formOf(name: string): Promise<FileForm> {
    const known = this.read.get(name);
    if (known !== undefined) return known;
    const form = readWhole(this.disk, join(this.folder ?? '', name)).then(tagged);
    this.read.set(name, form);
    form.catch(() => this.read.delete(name));
    return form;
  }
}

function tagged(bytes: Buffer): FileForm {
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { bytes, tag: `"${digest.slice(0, 22)}"` };
}
