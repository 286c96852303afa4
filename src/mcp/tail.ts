/** The latest or the next events: rows of messages or runs, or records of a topic. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Ask, Reply } from './question.js';
import { type Partition, recordsQuestion, rowsQuestion, topicQuestion } from './tool-routes.js';

/** The parameters of a tail. */
export interface WantedTail {
  readonly kind: 'message' | 'run' | 'topic';
  readonly topic?: string | undefined;
  /** In Unix ms. */
  readonly since?: number | undefined;
  readonly count?: number | undefined;
  readonly filters?: Readonly<Record<string, string>> | undefined;
  /** How many seconds to wait if nothing has happened yet. */
  readonly wait?: number | undefined;
}

const countStandard = 20;

/** How many partitions one `/fetch` may name (topics.md 3.1). */
const partitionsMax = 64;

/** The routes of rows have no long polling, so they are polled at this interval. */
const lookMs = 1000;

/** Answers at once, or with `wait` as soon as there is something. Throws as `ask` does. */
export function tail(ask: Ask, wanted: WantedTail, signal: AbortSignal): Promise<Reply> {
  const { kind, topic } = wanted;
  if (kind !== 'topic') return rowsOf(ask, kind, wanted, signal);
  if (topic === undefined) throw new RangeError('topic: name the topic to tail');
  return recordsOf(ask, topic, wanted, signal);
}

async function recordsOf(
  ask: Ask,
  topic: string,
  { since, count = countStandard, wait = 0 }: WantedTail,
  signal: AbortSignal,
): Promise<Reply> {
  const shown = await ask(topicQuestion(topic), signal);
  if (shown.status !== 200) return shown;
  const { offsets } = JSON.parse(shown.text) as { readonly offsets: readonly Partition[] };
  if (offsets.length > partitionsMax) {
    const reason = `${topic} has more than ${partitionsMax} partitions: read it by other means`;
    throw new RangeError(reason);
  }
  return ask(
    recordsQuestion(topic, offsets, { count, since: since ?? null, waitMs: wait * 1000 }),
    signal,
  );
}

async function rowsOf(
  ask: Ask,
  kind: 'message' | 'run',
  { since, count, filters, wait = 0 }: WantedTail,
  signal: AbortSignal,
): Promise<Reply> {
  if (wait === 0) return ask(rowsQuestion(kind, { since, count, filters }), signal);
  const from = since ?? (await behindNewest(ask, kind, signal));
  const question = rowsQuestion(kind, { since: from, count, filters });
  for (let looks = Math.ceil((wait * 1000) / lookMs); ; looks -= 1) {
    const reply = await ask(question, signal);
    if (looks <= 0 || reply.status !== 200 || rowsIn(reply).length > 0) return reply;
    await delay(lookMs, undefined, { signal });
  }
}

/**
 * The time after the newest row, by the server's clock, which may differ from that of this process.
 */
async function behindNewest(ask: Ask, kind: 'message' | 'run', signal: AbortSignal) {
  const newest = await ask(rowsQuestion(kind, { count: 1 }), signal);
  const [row] = newest.status === 200 ? rowsIn(newest) : [];
  return row === undefined ? 0 : row.time + 1;
}

/** Both routes answer with an object that contains one list. */
function rowsIn({ text }: Reply): readonly { readonly time: number }[] {
  return Object.values(JSON.parse(text) as object).find(Array.isArray) ?? [];
}
