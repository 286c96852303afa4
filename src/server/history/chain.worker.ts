/** The thread that reads and hashes segments; it answers the main thread's questions. */
import { parentPort } from 'node:worker_threads';
import {
  chainWork,
  type PrunedQuestion,
  type RootQuestion,
} from '../../../storage/chain/chain-work.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { messageOf } from '../../../storage/faults/storage-errors.js';
import type { DigestQuestion } from '../../../storage/segment/segment-digest.js';
import { systemClock } from '../../engine/clock.js';
import { letOthersGoFirst, restsOf } from './background-thread.js';

/** A question to the thread. */
export type ChainQuestion =
  | { readonly ask: 'root'; readonly id: number; readonly question: RootQuestion }
  | { readonly ask: 'pruned'; readonly id: number; readonly question: PrunedQuestion }
  | { readonly ask: 'digest'; readonly id: number; readonly question: DigestQuestion };

/** An answer of the thread: a result, or why there is none. */
export interface ChainAnswer {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
}

/** A finished segment is two questions; if there are more, the thread has to catch up. */
const questionsMax = 2;

letOthersGoFirst();

const rest = restsOf(systemClock.monotonic);
let unanswered = 0;
const work = chainWork(nodeDisk, () => {
  if (unanswered <= questionsMax) rest();
});

parentPort?.on('message', (asked: ChainQuestion) => {
  const { id } = asked;
  unanswered += 1;
  const answer = (result: unknown, error: string | null): void => {
    unanswered -= 1;
    parentPort?.postMessage({ id, result, error } satisfies ChainAnswer);
  };
  answerTo(asked).then(
    (result) => answer(result, null),
    (error: unknown) => answer(null, messageOf(error)),
  );
});

function answerTo(asked: ChainQuestion): Promise<unknown> {
  if (asked.ask === 'root') return work.root(asked.question);
  if (asked.ask === 'pruned') return work.pruned(asked.question);
  return work.digest(asked.question);
}
