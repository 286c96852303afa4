/**
 * The thread that checks snapshots: it has no disk and no network, only what the server sends. Each
 * message is answered before the next one is sent.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { FoldingHere } from '../../engine/snapshots/folding-aside.js';
import { type FoldingSettings, productFolding } from '../history/product-folding.js';
import { type FoldingAnswer, type FoldingRequest, partIn, received } from './folding-messages.js';

const settings: FoldingSettings = workerData;
const { engine, codec } = productFolding(settings);
const folding = new FoldingHere(engine, codec);

async function answer(request: FoldingRequest): Promise<FoldingAnswer> {
  switch (request.type) {
    case 'touch':
      await folding.touch(received(request));
      return done;
    case 'take':
      await folding.take(partIn(request));
      return done;
    case 'fold':
      await folding.fold(received(request));
      return done;
    case 'compare':
      await folding.compare(partIn(request));
      return done;
    case 'differences':
      return { type: 'differences', items: await folding.differences() };
  }
}

const done: FoldingAnswer = { type: 'done' };

parentPort?.on('message', async (request: FoldingRequest) => {
  parentPort?.postMessage(await answer(request));
});
