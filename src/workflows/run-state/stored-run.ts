/** What a run remembers, as it is stored while the run rests and in snapshots: plain lists. */
import type { ContextCodec } from '../../engine/machines/machine-evolve.js';
import { EntryList } from './entry-list.js';
import type { RunContext } from './run.context.js';
import type { RunEntry } from './run.events.js';

type PlainEntry = readonly [
  messageId: string,
  offset: number,
  bytes: number,
  id: number,
  name: string,
  type: string,
  concurrent: number,
  target: number | null,
];

/** There are many runs, and many entries: lists need no names of their parts. */
type PlainContext = readonly [
  dialect: RunContext['dialect'],
  url: RunContext['url'],
  createdAt: RunContext['createdAt'],
  callerIp: RunContext['callerIp'],
  startedOffset: RunContext['startedOffset'],
  configurationOffset: RunContext['configurationOffset'],
  failureCallbackOffset: RunContext['failureCallbackOffset'],
  terms: RunContext['terms'],
  answerCheck: RunContext['answerCheck'],
  fetchesLazily: RunContext['fetchesLazily'],
  invoker: RunContext['invoker'],
  entries: readonly PlainEntry[],
  calls: RunContext['calls'],
  waits: RunContext['waits'],
  notifications: RunContext['notifications'],
  invocations: RunContext['invocations'],
];

/**
 * The order of the fields is the format: snapshots of another build are not read, so it may change.
 */
export const storedContext: ContextCodec<RunContext, PlainContext> = {
  toPlain: (context) => [
    context.dialect,
    context.url,
    context.createdAt,
    context.callerIp,
    context.startedOffset,
    context.configurationOffset,
    context.failureCallbackOffset,
    context.terms,
    context.answerCheck,
    context.fetchesLazily,
    context.invoker,
    context.entries.toArray().map(plainEntry),
    context.calls,
    context.waits,
    context.notifications,
    context.invocations,
  ],
  fromPlain(plain) {
    const [
      dialect,
      url,
      createdAt,
      callerIp,
      startedOffset,
      configurationOffset,
      failureCallbackOffset,
      terms,
      answerCheck,
      fetchesLazily,
      invoker,
      entries,
      calls,
      waits,
      notifications,
      invocations,
    ] = plain;
    return {
      dialect,
      url,
      createdAt,
      callerIp,
      startedOffset,
      configurationOffset,
      failureCallbackOffset,
      terms,
      answerCheck,
      fetchesLazily,
      invoker,
      entries: EntryList.of(entries.map(entryOf)),
      calls,
      waits,
      notifications,
      invocations,
    };
  },
};

function plainEntry({ messageId, offset, bytes, step }: RunEntry): PlainEntry {
  const { id, name, type, concurrent, target } = step;
  return [messageId, offset, bytes, id, name, type, concurrent, target];
}

function entryOf(plain: PlainEntry): RunEntry {
  const [messageId, offset, bytes, id, name, type, concurrent, target] = plain;
  return { messageId, offset, step: { id, name, type, concurrent, target }, bytes };
}
