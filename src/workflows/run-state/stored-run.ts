/** The stored form of a run's context, used while the run rests and in snapshots: plain arrays. */
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

/**
 * Runs and entries are numerous, and arrays need no field names. The order of the fields is the
 * format; it may change, because snapshots of another build are not read.
 */
function plainContext(context: RunContext) {
  return [
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
  ] as const;
}

/** Converts a run's context to its stored form and back. */
export const storedContext: ContextCodec<RunContext, ReturnType<typeof plainContext>> = {
  toPlain: plainContext,
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
