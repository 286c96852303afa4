/** The thread that reads and hashes segments; it answers the main thread's questions. */
import { parentPort } from 'node:worker_threads';
import {
  chainWork,
  type PrunedQuestion,
  type RootQuestion,
} from '../../../storage/chain/chain-work.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { messageOf } from '../../../storage/faults/storage-errors.js';
import { letOthersGoFirst } from './background-thread.js';

/** A question to the thread. */
export type ChainQuestion =
  | { readonly ask: 'root'; readonly id: number; readonly question: RootQuestion }
  | { readonly ask: 'pruned'; readonly id: number; readonly question: PrunedQuestion };

/** An answer of the thread: a result, or why there is none. */
export interface ChainAnswer {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
}

letOthersGoFirst();

const work = chainWork(nodeDisk);

parentPort?.on('message', (asked: ChainQuestion) => {
  const { id } = asked;
  const answered = asked.ask === 'root' ? work.root(asked.question) : work.pruned(asked.question);
  const answer = (result: unknown, error: string | null): void => {
    parentPort?.postMessage({ id, result, error } satisfies ChainAnswer);
  };
  answered.then(
    (result) => answer(result, null),
    (error: unknown) => answer(null, messageOf(error)),
  );
});
