/** Reads and hashes finished segments in a thread of its own, which ends when it is idle. */
import { Worker } from 'node:worker_threads';
import type { ChainWork, PrunedQuestion, RootQuestion } from '../../../storage/chain/chain-work.js';
import type { DigestQuestion } from '../../../storage/segment/segment-digest.js';
import type { Clock } from '../../engine/clock.js';
import { threadEntry } from '../lifecycle/asked-thread.js';
import type { ChainAnswer, ChainQuestion } from './chain.worker.js';

/** An idle thread ends after this time: the next segment may be sealed in a second, or in a day. */
const idleMs = 10_000;

const entry = threadEntry('chain', import.meta.url);

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Does the work for the chain of a server's journal. If the thread dies, all pending questions are
 * rejected, and the next question starts a new thread.
 */
export class ChainThread implements ChainWork {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 0;
  private cancelEnd: () => void = () => undefined;

  constructor(private readonly clock: Clock) {}

  root(question: RootQuestion): ReturnType<ChainWork['root']> {
    return this.ask((id) => ({ ask: 'root', id, question }));
  }

  pruned(question: PrunedQuestion): ReturnType<ChainWork['pruned']> {
    return this.ask((id) => ({ ask: 'pruned', id, question }));
  }

  digest(question: DigestQuestion): ReturnType<ChainWork['digest']> {
    return this.ask((id) => ({ ask: 'digest', id, question }));
  }

  /** Ends the thread, if there is one; its pending questions are rejected. */
  async stop(): Promise<void> {
    this.cancelEnd();
    const { worker } = this;
    this.worker = null;
    // Reject first: questions that arrive while the thread ends go to the next thread.
    this.refuse(new Error('the thread that reads segments was ended'));
    await worker?.terminate();
  }

  private ask<Answer>(question: (id: number) => ChainQuestion): Promise<Answer> {
    this.cancelEnd();
    const id = this.nextId;
    this.nextId += 1;
    return new Promise((resolve, reject) => {
      // The thread calls the method that the question names, and returns its result.
      this.waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject });
      this.running().postMessage(question(id));
    });
  }

  private running(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(entry);
    this.worker = worker;
    // The thread does not keep the process alive.
    worker.unref();
    worker.on('message', (answer: ChainAnswer) => this.answered(answer));
    worker.on('error', (error) => {
      if (this.worker === worker) this.worker = null;
      this.refuse(error instanceof Error ? error : new Error(String(error)));
    });
    return worker;
  }

  private answered({ id, result, error }: ChainAnswer): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === null) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
    if (this.waiting.size > 0) return;
    this.cancelEnd();
    this.cancelEnd = this.clock.after(idleMs, () => void this.stop());
  }

  private refuse(error: Error): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
