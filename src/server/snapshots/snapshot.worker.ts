/**
 * The thread beside the server in which snapshots are made: it has no disk and no network, only
 * what it is sent. Each message is answered before the next one is sent.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { FoldingHere } from '../../engine/snapshots/folding-aside.js';
import type { ImagePart } from '../../engine/snapshots/memory-image.js';
import { type FoldingSettings, productFolding } from '../history/product-folding.js';
import {
  answered,
  type FoldingAnswer,
  type FoldingRequest,
  partIn,
  received,
} from './folding-messages.js';

const { engine, codec } = productFolding(workerData as FoldingSettings);
const folding = new FoldingHere(engine, codec);
let image: Iterator<ImagePart> | null = null;

async function answer(request: FoldingRequest): Promise<FoldingAnswer> {
  switch (request.type) {
    case 'take':
      await folding.take(partIn(request));
      return { type: 'done' };
    case 'touch':
      await folding.touch(received(request));
      return { type: 'done' };
    case 'merge':
      return answered(await folding.merge(partIn(request)));
    case 'fold':
      await folding.fold(received(request));
      return { type: 'done' };
    case 'digest':
      return { type: 'digest', digest: await folding.digest() };
    case 'items':
      return { type: 'items', items: await folding.items(request.sections) };
    case 'next': {
      image ??= folding.image()[Symbol.iterator]();
      const { value, done } = image.next();
      return done === true ? { type: 'end' } : answered(value);
    }
  }
}

parentPort?.on('message', async (request: FoldingRequest) => {
  const reply = await answer(request);
  parentPort?.postMessage(reply, reply.type === 'part' ? [reply.data.buffer] : []);
});
