/** Memory that is folded in a thread of its own, as the server sees it. */
import type { BatchBytes } from '../../../storage/format/record-batch.js';
import { type FoldingAside } from '../../engine/snapshots/folding-aside.js';
import type { DifferingItem } from '../../engine/snapshots/image-comparison.js';
import type { ImagePart } from '../../engine/snapshots/memory-cut.js';
import type { FoldingSettings } from '../history/product-folding.js';
import { AskedThread, threadEntry } from '../lifecycle/asked-thread.js';
import {
  batchesRequest,
  type FoldingAnswer,
  type FoldingRequest,
  type PartRequest,
  partRequest,
} from './folding-messages.js';

/**
 * Created for one check, and ended after it. Once the thread has failed or was ended, every call
 * rejects with the reason.
 */
export class FoldingThread implements FoldingAside {
  private readonly thread: AskedThread<FoldingRequest, FoldingAnswer>;

  constructor(settings: FoldingSettings) {
    const entry = threadEntry('snapshot', import.meta.url);
    this.thread = new AskedThread(entry, { workerData: settings }, 'the folding was ended');
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
    const answer = await this.thread.ask({ type: 'differences' });
    if (answer.type !== 'differences') throw new Error(`the thread answered ${answer.type}`);
    return answer.items;
  }

  end(): Promise<void> {
    return this.thread.end();
  }

  private async givePart(type: PartRequest['type'], part: ImagePart): Promise<void> {
    const request = partRequest(type, part);
    await this.thread.ask(request, [request.data.buffer]);
  }

  private async giveBatches(type: 'touch' | 'fold', batches: readonly BatchBytes[]): Promise<void> {
    const request = batchesRequest(type, batches);
    await this.thread.ask(request, [request.bodies.buffer]);
  }
}
