/** The thread that runs the server as it was, separate from the work of the present server. */
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { DamagedData, messageOf } from '../../storage/faults/storage-errors.js';
import { systemClock } from '../engine/clock.js';
import { systemIdentifiers } from '../engine/identifiers.js';
import { damageText } from '../http/failures.js';
import {
  type PastQuestion,
  type PastServer,
  PastTooLarge,
  tooMuchMemory,
} from './past/past-server.js';
import { openPastApplication } from './past-application.js';
import type { PastReply, PastStart } from './past-thread.js';

const { config, moment, ports }: PastStart = workerData;

/**
 * Checking the memory takes as long as folding several events, so check once per this many events.
 */
const foldsPerLook = 1024;
let folds = 0;

/** External memory counts as well as the heap: the states of resting streams are kept there. */
function throwIfStopped(): void {
  folds += 1;
  if (folds % foldsPerLook !== 0) return;
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  if (heap + external > config.asOfMemoryBytes) throw tooMuchMemory();
}

function fatal(error: unknown): never {
  throw error;
}

function reply(message: PastReply): void {
  parentPort?.postMessage(message);
}

function failed(error: unknown): void {
  if (error instanceof DamagedData) {
    reply({ type: 'failed', message: damageText(error), why: 'damaged' });
    return;
  }
  const why = error instanceof PastTooLarge ? 'tooLarge' : 'other';
  reply({ type: 'failed', message: messageOf(error), why });
}

async function answer(server: PastServer, question: PastQuestion): Promise<void> {
  try {
    reply({ type: 'answer', answer: await server.ask(question) });
  } catch (error) {
    failed(error);
  }
}

/** No `await` at the top: the thread is bundled as CommonJS. */
async function open(): Promise<void> {
  try {
    const server = await openPastApplication(
      config,
      { ...moment, throwIfStopped },
      { ...ports, clock: systemClock, identifiers: systemIdentifiers, disk: nodeDisk, fatal },
    );
    parentPort?.on('message', (question: PastQuestion) => void answer(server, question));
    reply({ type: 'open', reaches: server.reaches });
  } catch (error) {
    failed(error);
  }
}

void open();
