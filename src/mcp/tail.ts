/** What happened last, or what happens next: rows of messages or runs, records of a topic. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Ask, Reply } from './question.js';
import { type Partition, recordsQuestion, rowsQuestion, topicQuestion } from './tool-routes.js';

/** What a tail is asked for. */
export interface WantedTail {
  readonly kind: 'message' | 'run' | 'topic';
  readonly topic?: string | undefined;
  /** Unix milliseconds. */
  readonly since?: number | undefined;
  readonly count?: number | undefined;
  readonly filters?: Readonly<Record<string, string>> | undefined;
  /** Seconds to wait where nothing has happened. */
  readonly wait?: number | undefined;
}

const countStandard = 20;

/** One `/fetch` names so many partitions at most (topics.md 3.1). */
const partitionsMax = 64;

/** The routes of rows have no long poll: they are asked again after so long. */
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

/** By the server's clock, which may be another one than that of this process. */
async function behindNewest(ask: Ask, kind: 'message' | 'run', signal: AbortSignal) {
  const newest = await ask(rowsQuestion(kind, { count: 1 }), signal);
  const [row] = newest.status === 200 ? rowsIn(newest) : [];
  return row === undefined ? 0 : row.time + 1;
}

/** Both routes answer an object with one list in it. */
function rowsIn({ text }: Reply): readonly { readonly time: number }[] {
  return Object.values(JSON.parse(text) as object).find(Array.isArray) ?? [];
}
