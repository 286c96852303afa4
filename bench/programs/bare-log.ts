/**
 * The bare loop of durable appends: bytes into a buffer, one write and one fdatasync for all who
 * came meanwhile. No offsets, no checksums, no index, no recovery. Its files are treated as the
 * store treats its own: 64 MiB each; where the log `prepares`, they are filled with zeros ahead, at
 * the pace of the store's; the first one before anything is measured.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { FillPace } from '../../storage/segment/fill-pace.js';

const fileBytes = 64 * 1024 * 1024;
const zeros = Buffer.alloc(1024 * 1024);

interface Group {
  buffer: Buffer;
  length: number;
  durable: Promise<void>;
  settle: () => void;
}

function emptyGroup(buffer: Buffer): Group {
  let settle: () => void = () => undefined;
  const durable = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { buffer, length: 0, durable, settle };
}

export class BareLog {
  private file: number;
  private position = 0;
  private fileCount = 1;
  private next: Promise<number> | null = null;
  private pace: FillPace | null = null;
  private group = emptyGroup(Buffer.allocUnsafeSlow(64 * 1024));
  private spare: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  private isWriting = false;

  constructor(
    private readonly directory: string,
    private readonly prepares: boolean,
  ) {
    this.file = fs.openSync(join(directory, '0'), 'wx+');
    if (!prepares) return;
    for (let end = 0; end < fileBytes; end += zeros.length) {
      fs.writeSync(this.file, zeros, 0, zeros.length, end);
    }
    fs.fdatasyncSync(this.file);
  }

  /** Settles when the bytes are on disk. */
  append(bytes: Buffer): Promise<void> {
    const { group } = this;
    const length = group.length + bytes.length;
    if (length > group.buffer.length) group.buffer = enlarged(group, length);
    group.buffer.set(bytes, group.length);
    group.length = length;
    if (!this.isWriting) {
      this.isWriting = true;
      this.afterThisTick();
    }
    return group.durable;
  }

  /** Appends that came in with this tick, or waited for the last commit, share the next one. */
  private afterThisTick(): void {
    queueMicrotask(() => process.nextTick(() => this.write()));
  }

  private write(): void {
    const { group } = this;
    if (group.length === 0) {
      this.isWriting = false;
      return;
    }
    if (this.position > 0 && this.position + group.length > fileBytes) {
      void this.roll().then(() => this.write());
      return;
    }
    this.group = emptyGroup(this.spare);
    this.writeFrom(group, 0);
  }

  private writeFrom(group: Group, start: number): void {
    const { buffer, length } = group;
    fs.write(this.file, buffer, start, length - start, this.position, (error, written) => {
      if (error !== null) throw error;
      this.position += written;
      if (start + written < length) this.writeFrom(group, start + written);
      else this.sync(group);
    });
  }

  private sync(group: Group): void {
    fs.fdatasync(this.file, (error) => {
      if (error !== null) throw error;
      group.settle();
      this.spare = group.buffer;
      if (this.position * 2 > fileBytes) this.next ??= this.openNext();
      this.pace?.grown(this.position);
      this.afterThisTick();
    });
  }

  private async roll(): Promise<void> {
    this.pace?.stop();
    this.next ??= this.openNext();
    this.pace?.hurry();
    const file = await this.next;
    fs.closeSync(this.file);
    this.next = null;
    this.pace = null;
    this.file = file;
    this.position = 0;
  }

  private async openNext(): Promise<number> {
    const path = join(this.directory, String(this.fileCount));
    this.fileCount += 1;
    const pace = this.prepares ? new FillPace(fileBytes, () => Date.now()) : null;
    this.pace = pace;
    const file = await fs.promises.open(path, 'wx+');
    for (let end = 0; pace !== null && end < fileBytes; end += zeros.length) {
      if (!(await pace.mayFill(end + zeros.length))) break;
      await file.write(zeros, 0, zeros.length, end);
      await file.datasync();
    }
    await file.close();
    return fs.openSync(path, 'r+');
  }
}

function enlarged({ buffer, length }: Group, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, buffer.length * 2));
  buffer.copy(larger, 0, 0, length);
  return larger;
}
