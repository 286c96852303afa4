/** What the messages of runs deliver: entries and headers, put together from the journal. */
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Payloads } from '../../engine/payloads.js';
import { withDefaultHeaders } from '../../grammar/default-headers.js';
import { pieceBytes } from '../../http/bytes/in-flight.js';
import type { MessagePublished, RunPlace } from '../../messaging/messages/message.events.js';
import type { RunDeliveries } from '../../messaging/messages/run-deliveries.js';
import type { EntryList } from '../run-state/entry-list.js';
import {
  type FailureCallbackNamed,
  type RunConfiguration,
  type RunEntry,
  type RunEvent,
  runKind,
} from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.state.js';
import { lazyBytes } from '../runs/run-messages.policy.js';
import { EncodedEntries, entryText } from './encoded-entries.js';
import { endedInvocationBody, endedWaitBody } from './entry-body.js';
import type { RunArchive } from './run-archive.js';

type Published = EventEnvelope<MessagePublished>;
type Recorded = EventEnvelope<RunEvent>;

/** Encoded entries at hand, in bytes (ADR 9). */
const encodedBytesMax = 64 * 1024 * 1024;

const nothing = Buffer.alloc(0);

/** Where the journal tells how a run began, and how it was to be told of when it failed. */
type FailedPlace = Pick<RunPlace, 'runId' | 'startedOffset' | 'configurationOffset'>;

export class RunEntries implements RunDeliveries {
  private readonly encoded = new LRUCache<string, EncodedEntries>({
    maxSize: encodedBytesMax,
    sizeCalculation: ({ weight }) => weight,
  });

  constructor(
    private readonly engine: Engine,
    private readonly payloads: Payloads,
    private readonly archive: RunArchive,
  ) {}

  entries({ id, event: { run } }: Published): Buffer | Promise<Buffer> {
    const { runId, entry, startedOffset } = placeOf(run);
    const state = this.stateOf(runId);
    // Its run has ended: the delivery will find that it is not wanted any more.
    if (state?.context.startedOffset !== startedOffset) return nothing;
    // A fetch looks for the name of the delivery, which the first one loses at a takeover.
    const isFound = state.context.entries.at(entry)?.messageId === id;
    const fetchesLazily = isFound && state.context.fetchesLazily;
    const array = this.encode(runId, state, entry + 1);
    const lazily = (bytes: Buffer) => (fetchesLazily && bytes.length > lazyBytes ? nothing : bytes);
    return array instanceof Promise ? array.then(lazily) : lazily(array);
  }

  /**
   * All entries of an active run as texts of one JSON array, those that are durable when it is
   * asked for; undefined = the run is not active. Each text is made when it is taken.
   */
  async texts(runId: string): Promise<AsyncGenerator<string> | undefined> {
    const state = this.stateOf(runId);
    await this.engine.durable();
    return state === undefined ? undefined : this.textsOf(runId, state);
  }

  ownEntry({ event: { run } }: Published): Buffer | null | Promise<Buffer | null> {
    const { role, entry, startedOffset, eventOffset } = placeOf(run);
    return this.bodyAt(role === 'step' && entry === 0 ? startedOffset : eventOffset);
  }

  async headers({ event: { run, headers } }: Published): Promise<readonly string[]> {
    const { role, configurationOffset } = placeOf(run);
    if (role === 'call') return headers;
    const { event } = (await this.payloads.read(configurationOffset)) as EventEnvelope<
      (RunEvent & { readonly configuration: RunConfiguration }) | FailureCallbackNamed
    >;
    if (event.type === 'FailureCallbackNamed') return event.callback.headers;
    const { configuration } = event;
    return role === 'failureCallback'
      ? configuration.failureHeaders
      : withDefaultHeaders(headers, configuration.headers);
  }

  failedBody({ event: { run } }: Published): Promise<Buffer | null> {
    const { runId, startedOffset, configurationOffset, eventOffset } = placeOf(run);
    return this.bodyOfFailed({ runId, startedOffset, configurationOffset }, eventOffset);
  }

  /**
   * What is told of a run that failed at `failedOffset`: its payload, or all of its entries. If a
   * step named the failure callback, the client is one that takes no run over: the configuration
   * that the run began with decides.
   */
  async bodyOfFailed(
    { runId, startedOffset, configurationOffset }: FailedPlace,
    failedOffset: number,
  ): Promise<Buffer | null> {
    const { event } = (await this.payloads.read(configurationOffset)) as Recorded;
    if (event.type === 'FailureCallbackNamed') {
      const asBegun = { runId, startedOffset, configurationOffset: startedOffset };
      return this.bodyOfFailed(asBegun, failedOffset);
    }
    if (!('configuration' in event)) throw new Error(`${runId} was not configured there`);
    if (event.configuration.reportsInitialBody) return this.bodyAt(startedOffset);
    const state = await this.archive.stateOf(runId, startedOffset, failedOffset);
    return this.encode(runId, state, state.context.entries.length);
  }

  /** The body of the entry that a run's event at `offset` has appended. */
  bodyAt(offset: number): Buffer | null | Promise<Buffer | null> {
    const read = this.payloads.read(offset);
    return read instanceof Promise
      ? read.then((envelope) => this.bodyOf(envelope as Recorded))
      : this.bodyOf(read as Recorded);
  }

  private bodyOf({ event, body }: Recorded): Buffer | null | Promise<Buffer | null> {
    switch (event.type) {
      case 'RunStarted':
        return event.payloadOffset === null ? body : this.rawAt(event.payloadOffset);
      case 'StepStored':
        return body;
      case 'WaitEnded': {
        const { notificationOffset } = event;
        if (notificationOffset === null) return endedWaitBody(event, body);
        return this.rawAt(notificationOffset).then((notified) => endedWaitBody(event, notified));
      }
      case 'InvocationEnded':
        return this.rawAt(event.endOffset).then((returned) => endedInvocationBody(event, returned));
      default:
        throw new Error(`${event.type} appends no entry`);
    }
  }

  private async rawAt(offset: number): Promise<Buffer | null> {
    return (await this.payloads.read(offset)).body;
  }

  private stateOf(runId: string): RunState | undefined {
    return this.engine.actors(runKind).find(runId)?.state as RunState | undefined;
  }

  private async *textsOf(runId: string, state: RunState): AsyncGenerator<string> {
    const { entries } = state.context;
    if (entries.deliveredBytes <= pieceBytes) {
      yield String(await this.encode(runId, state, entries.length));
      return;
    }
    for (let index = 0; index < entries.length; ) {
      // Looked for each time: a slow client must not keep what the cache has let go of.
      const kept = this.kept(runId, state);
      if (kept !== undefined && kept.length > index) {
        const { text, next } = kept.part(index, entries.length, pieceBytes);
        yield text;
        index = next;
      } else {
        yield await this.textAt(runId, entries, index);
        index += 1;
      }
    }
    yield ']';
  }

  /** One entry, and what stands before it in the array. */
  private async textAt(runId: string, entries: EntryList, index: number): Promise<string> {
    const entry = entries.at(index);
    if (entry === undefined) throw new Error(`${runId} has no entry ${index}`);
    const text = entryText(entry.messageId, await this.bodyAt(entry.offset));
    return `${index === 0 ? '[' : ','}${text}`;
  }

  /** What is encoded of the run already; another one may have come to bear the name. */
  private kept(runId: string, { context }: RunState): EncodedEntries | undefined {
    const kept = this.encoded.get(runId);
    // A run that was taken over begins with another id.
    return kept?.configurationOffset === context.configurationOffset ? kept : undefined;
  }

  /** The first `count` entries; what is encoded already is not encoded again. */
  private encode(runId: string, state: RunState, count: number): Buffer | Promise<Buffer> {
    const { configurationOffset } = state.context;
    const encoded = this.kept(runId, state) ?? new EncodedEntries(configurationOffset);
    return this.extend(runId, encoded, state.context.entries, count);
  }

  /** Goes on with the list that it has: the cache may have let go of a large one meanwhile. */
  private extend(
    runId: string,
    encoded: EncodedEntries,
    entries: EntryList,
    count: number,
  ): Buffer | Promise<Buffer> {
    while (encoded.length < count) {
      const entry = entries.at(encoded.length);
      if (entry === undefined) throw new Error(`${runId} has no entry ${encoded.length}`);
      const body = this.bodyAt(entry.offset);
      if (body instanceof Promise) {
        return body.then((read) => {
          // Another read may have added the entry meanwhile.
          if (entries.at(encoded.length) === entry) this.add(runId, encoded, entry, read);
          return this.extend(runId, encoded, entries, count);
        });
      }
      this.add(runId, encoded, entry, body);
    }
    return encoded.upTo(count);
  }

  private add(
    runId: string,
    encoded: EncodedEntries,
    { messageId }: RunEntry,
    body: Buffer | null,
  ): void {
    encoded.add(messageId, body);
    // The cache weighs what is new to it only.
    this.encoded.delete(runId);
    this.encoded.set(runId, encoded);
  }
}

function placeOf(run: RunPlace | null): RunPlace {
  if (run === null) throw new Error('a message that belongs to no run');
  return run;
}
