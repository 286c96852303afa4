/** Runs the server as it was in a thread of its own. */
import { errorCode } from '../../storage/faults/storage-errors.js';
import type { PastMoment } from '../engine/history/past-moment.js';
import type { Config } from './configuration/config.js';
import { AskedThread, threadEntry } from './lifecycle/asked-thread.js';
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
  private readonly thread: AskedThread<PastQuestion, PastReply>;

  constructor(start: PastStart) {
    const heapMegabytes = Math.ceil(start.config.asOfMemoryBytes / (1024 * 1024));
    this.thread = new AskedThread(
      threadEntry('past', import.meta.url),
      { workerData: start, resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } },
      'the thread that shows what was has ended',
      (error) => (hasOverflowed(error) ? tooMuchMemory() : error),
    );
  }

  async open(): Promise<void> {
    const reply = succeeded(await this.thread.answer());
    if (reply.type === 'open') this.reaches = reply.reaches;
  }

  async ask(question: PastQuestion): Promise<PastAnswer> {
    const reply = succeeded(await this.thread.ask(question));
    if (reply.type !== 'answer') throw new Error(`the thread answered ${reply.type}`);
    return reply.answer;
  }

  end(): Promise<void> {
    return this.thread.end();
  }
}

function succeeded(reply: PastReply): Exclude<PastReply, { readonly type: 'failed' }> {
  if (reply.type === 'failed') throw new failures[reply.why](reply.message);
  return reply;
}

function hasOverflowed(error: unknown): boolean {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
}
