/** Memory that is folded in a thread of its own, as the server sees it. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import { type FoldingAside } from '../../engine/snapshots/folding-aside.js';
import type { DifferingItem } from '../../engine/snapshots/image-comparison.js';
import type { ImagePart } from '../../engine/snapshots/memory-cut.js';
import type { FoldingSettings } from '../history/product-folding.js';
import {
  batchesRequest,
  type FoldingAnswer,
  type FoldingRequest,
  type PartRequest,
  partRequest,
} from './folding-messages.js';

/** The entry is beside this file, or beside the bundled program; compiled or not. */
const { pathname } = new URL(import.meta.url);
const entry = new URL(`./snapshot.worker${extname(pathname)}`, import.meta.url);

interface Waiting {
  resolve(answer: FoldingAnswer): void;
  reject(error: unknown): void;
}

/**
 * Created for one check, and ended after it. Once the thread has failed or was ended, every call
 * rejects with the reason.
 */
export class FoldingThread implements FoldingAside {
  private readonly worker: Worker;
  private waiting: Waiting | null = null;
  private failure: unknown = null;

  constructor(settings: FoldingSettings) {
    this.worker = new Worker(entry, { workerData: settings });
    this.worker.on('message', (answer: FoldingAnswer) => this.settle()?.resolve(answer));
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('the folding was ended')));
    // The thread must not keep the process alive.
    this.worker.unref();
  }

  touch(batches: readonly BatchBytes[]): Promise<void> {
    return this.giveBatches('touch', batches);
  }

  take(part: ImagePart): Promise<void> {
    return this.givePart('take', part);
  }

  fold(batches: readonly BatchBytes[]): Promise<void> {
    return this.giveBatches('fold', batches);
  }

  compare(part: ImagePart): Promise<void> {
    return this.givePart('compare', part);
  }

  async differences(): Promise<readonly DifferingItem[]> {
    const answer = await this.ask({ type: 'differences' });
    if (answer.type !== 'differences') throw new Error(`the thread answered ${answer.type}`);
    return answer.items;
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private async givePart(type: PartRequest['type'], part: ImagePart): Promise<void> {
    const request = partRequest(type, part);
    await this.ask(request, [request.data.buffer]);
  }

  private async giveBatches(type: 'touch' | 'fold', batches: readonly BatchBytes[]): Promise<void> {
    const request = batchesRequest(type, batches);
    await this.ask(request, [request.bodies.buffer]);
  }

  private ask(request: FoldingRequest, handedOver: ArrayBuffer[] = []): Promise<FoldingAnswer> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) {
        reject(this.failure);
        return;
      }
      this.waiting = { resolve, reject };
      this.worker.postMessage(request, handedOver);
    });
  }

  private settle(): Waiting | null {
    const { waiting } = this;
    this.waiting = null;
    return waiting;
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.settle()?.reject(this.failure);
  }
}
