/** Runs the server as it was in a thread of its own. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorCode } from '../../storage/faults/storage-errors.js';
import type { PastMoment } from '../engine/history/past-moment.js';
import type { Config } from './configuration/config.js';
import {
  type PastAnswer,
  PastDamaged,
  type PastQuestion,
  type PastServer,
  PastTooLarge,
  tooMuchMemory,
} from './past/past-server.js';
import type { Ports } from './ports.js';

/** What the thread starts with: plain data. */
export interface PastStart {
  readonly config: Config;
  readonly moment: PastMoment;
  readonly ports: Pick<Ports, 'fileSizes' | 'streamSizes' | 'build'>;
}

/** What the thread reports: it is open, it has an answer, or it failed. */
export type PastReply =
  | { readonly type: 'open'; readonly reaches: number }
  | { readonly type: 'answer'; readonly answer: PastAnswer }
  | { readonly type: 'failed'; readonly message: string; readonly why: keyof typeof failures };

/** The error class for each reason of a failure. */
const failures = { tooLarge: PastTooLarge, damaged: PastDamaged, other: Error };

/**
 * The entry file of a thread is not resolved by the loader, so use the extension of this file:
 * compiled or source.
 */
const { pathname } = new URL(import.meta.url);
const entry = new URL(`./past.worker${extname(pathname)}`, import.meta.url);

interface Waiting {
  resolve(reply: PastReply): void;
  reject(error: unknown): void;
}

/** Opens the server in a thread. Rejects with `PastTooLarge` if the thread runs out of memory. */
export async function openPastThread(start: PastStart): Promise<PastServer> {
  const thread = new PastThread(start);
  try {
    await thread.open();
    return thread;
  } catch (error) {
    await thread.end();
    throw error;
  }
}

class PastThread implements PastServer {
  reaches = 0;
  private readonly opened: Promise<PastReply>;
  private readonly worker: Worker;
  private waiting: Waiting | null = null;
  private failure: unknown = null;

  constructor(start: PastStart) {
    const heapMegabytes = Math.ceil(start.config.asOfMemoryBytes / (1024 * 1024));
    this.worker = new Worker(entry, {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    this.worker.on('message', (reply: PastReply) => this.settle(reply));
    this.worker.on('error', (error) => this.fail(hasOverflowed(error) ? tooMuchMemory() : error));
    this.worker.on('exit', () => this.fail(new Error('the thread that shows what was has ended')));
    // The thread must not keep the process alive.
    this.worker.unref();
    this.opened = this.reply();
  }

  async open(): Promise<void> {
    const reply = await this.opened;
    if (reply.type === 'open') this.reaches = reply.reaches;
  }

  async ask(question: PastQuestion): Promise<PastAnswer> {
    const reply = this.reply();
    this.worker.postMessage(question);
    const answered = await reply;
    if (answered.type !== 'answer') throw new Error(`the thread answered ${answered.type}`);
    return answered.answer;
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private reply(): Promise<PastReply> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) reject(this.failure);
      else this.waiting = { resolve, reject };
    });
  }

  private settle(reply: PastReply): void {
    const { waiting } = this;
    this.waiting = null;
    if (reply.type !== 'failed') waiting?.resolve(reply);
    else waiting?.reject(new failures[reply.why](reply.message));
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    const { waiting } = this;
    this.waiting = null;
    waiting?.reject(this.failure);
  }
}

function hasOverflowed(error: unknown): boolean {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
}
