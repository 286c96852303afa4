/** Composes from the journal what the messages of runs deliver: entries and headers. */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import { whenRead } from '../../engine/payloads.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import { pieceBytes } from '../../http/bytes/in-flight.js';
import type { Published, RunPlace } from '../../messaging/messages/message.events.js';
import type { RunDeliveries } from '../../messaging/messages/run-deliveries.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { RunContext } from '../run-state/run.context.js';
import type { RunEntry, RunEvent } from '../run-state/run.events.js';
import { Runs } from '../runs/run.entity.js';
import { lazyBytes } from '../runs/run-messages.policy.js';
import { EncodedEntries, entryText } from './encoded-entries.js';
import { endedInvocationBody, endedWaitBody } from './entry-body.js';
import { RunArchive } from './run-archive.js';

/** Size of the cache of encoded entries, in bytes (ADR 9). */
const encodedBytesMax = 64 * 1024 * 1024;

const nothing = Buffer.alloc(0);

/** Where the journal holds a run's start and the configuration of its failure report. */
type FailedPlace = Pick<RunPlace, 'runId' | 'startedOffset' | 'configurationOffset'>;

/**
 * Caches encoded lists, bounded in bytes, so that the next delivery of a run only adds to the last
 * list.
 */
@Injectable()
export class RunEntries implements RunDeliveries {
  private readonly encoded = new LRUCache<string, EncodedEntries>({
    maxSize: encodedBytesMax,
    sizeCalculation: ({ weight }) => weight,
  });

  constructor(
    @Inject(Runs) private readonly runs: Pick<Runs, 'active' | 'shown'>,
    private readonly archive: RunArchive,
  ) {}

  /**
   * The events that `listener` observes. `RunFailed` is not among them: a failed run is still
   * reported, and may be resumed.
   */
  readonly interest: Interest<RunEvent> = { types: { RunSucceeded: true, RunCanceled: true } };

  /** Removes runs that are no longer delivered from the cache. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const { id } of envelopes) {
      const kept = this.encoded.get(id);
      if (kept === undefined) continue;
      this.encoded.delete(id);
      this.archive.forget(kept.configurationOffset);
    }
  };

  /**
   * The list up to the entry of this message; empty if the run has ended, or if the list is long
   * and the endpoint fetches long lists itself.
   */
  entries({ id, event }: Published): Buffer | Promise<Buffer> {
    const { runId, entry, startedOffset } = placeOf(event.run);
    const run = this.runs.active(runId);
    // The run has ended: the delivery will find that it is no longer needed.
    if (run?.startedOffset !== startedOffset) return nothing;
    // The endpoint fetches by message id, and a takeover replaces the id of the initial entry.
    const isFound = run.entries.at(entry)?.messageId === id;
    const fetchesLazily = isFound && run.fetchesLazily;
    const array = this.encode(runId, run, entry + 1);
    const lazily = (bytes: Buffer) => (fetchesLazily && bytes.length > lazyBytes ? nothing : bytes);
    return array instanceof Promise ? array.then(lazily) : lazily(array);
  }

  /**
   * All entries that an active run has now, once they are durable, as pieces of the text of one
   * JSON array; undefined = the run is not active. Each piece is made when it is requested.
   */
  async texts(runId: string): Promise<AsyncGenerator<string> | undefined> {
    const run = await this.runs.shown(() => this.runs.active(runId));
    return run === undefined ? undefined : this.textsOf(runId, run);
  }

  ownEntry({ event: { run } }: Published): Buffer | null | Promise<Buffer | null> {
    const { role, entry, startedOffset, eventOffset } = placeOf(run);
    return this.bodyAt(role === 'step' && entry === 0 ? startedOffset : eventOffset);
  }

  headers({ event: { run, headers } }: Published): readonly string[] | Promise<readonly string[]> {
    const { role, configurationOffset } = placeOf(run);
    if (role === 'call') return headers;
    return whenRead(this.archive.eventAt(configurationOffset), ({ event }) => {
      if (event.type === 'FailureCallbackNamed') return event.callback.headers;
      const { configuration } = configured(event);
      return role === 'failureCallback'
        ? configuration.failureHeaders
        : withDefaultHeaders(headers, configuration.headers);
    });
  }

  async starterHeaders({ event: { run } }: Published): Promise<readonly string[]> {
    const { headers } = await this.archive.configurationAt(placeOf(run).startedOffset);
    return headers;
  }

  failedBody({ event: { run } }: Published): Promise<Buffer | null> {
    const { runId, startedOffset, configurationOffset, eventOffset } = placeOf(run);
    return this.bodyOfFailed({ runId, startedOffset, configurationOffset }, eventOffset);
  }

  /**
   * The body shown for a run that failed at `failedOffset`: its payload, or all of its entries. If
   * a step named the failure callback, the client is one that never takes runs over, so the
   * configuration that the run started with decides.
   */
  async bodyOfFailed(
    { runId, startedOffset, configurationOffset }: FailedPlace,
    failedOffset: number,
  ): Promise<Buffer | null> {
    const { event } = await this.archive.eventAt(configurationOffset);
    if (event.type === 'FailureCallbackNamed') {
      const asBegun = { runId, startedOffset, configurationOffset: startedOffset };
      return this.bodyOfFailed(asBegun, failedOffset);
    }
    if (configured(event).configuration.reportsInitialBody) return this.bodyAt(startedOffset);
    const { context } = await this.archive.stateOf(runId, startedOffset, failedOffset);
    return this.encode(runId, context, context.entries.length);
  }

  /** The body of the entry that the run's event at `offset` appended. */
  bodyAt(offset: number): Buffer | null | Promise<Buffer | null> {
    const read = this.archive.eventAt(offset);
    return read instanceof Promise
      ? read.then((envelope) => this.bodyOf(envelope))
      : this.bodyOf(read);
  }

  /** Like `bodyAt`, for an event that was read already. */
  bodyOf({ event, body }: EventEnvelope<RunEvent>): Buffer | null | Promise<Buffer | null> {
    switch (event.type) {
      case 'RunStarted':
        return event.payloadOffset === null ? body : this.rawAt(event.payloadOffset);
      case 'StepStored':
      case 'StepEdited':
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
    return (await this.archive.eventAt(offset)).body;
  }

  private async *textsOf(runId: string, run: RunContext): AsyncGenerator<string> {
    const { entries } = run;
    if (entries.deliveredBytes <= pieceBytes) {
      yield String(await this.encode(runId, run, entries.length));
      return;
    }
    for (let index = 0; index < entries.length; ) {
      // Looked up each time, so that a slow client does not retain a list that the cache dropped.
      const kept = this.kept(runId, run);
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

  /** One entry with the bracket or comma before it. */
  private async textAt(runId: string, entries: EntryList, index: number): Promise<string> {
    const entry = entries.at(index);
    if (entry === undefined) throw new Error(`${runId} has no entry ${index}`);
    const text = entryText(entry.messageId, await this.bodyAt(entry.offset));
    return `${index === 0 ? '[' : ','}${text}`;
  }

  /** The cached list of the run, unless it belongs to another run that had the same id. */
  private kept(runId: string, { configurationOffset }: RunContext): EncodedEntries | undefined {
    const kept = this.encoded.get(runId);
    // A takeover changes the configuration, and with it the id of the first entry.
    return kept?.configurationOffset === configurationOffset ? kept : undefined;
  }

  /** The first `count` entries; entries that are encoded already are not encoded again. */
  private encode(runId: string, run: RunContext, count: number): Buffer | Promise<Buffer> {
    const encoded = this.kept(runId, run) ?? new EncodedEntries(run.configurationOffset);
    return this.extend(runId, encoded, run.entries, count);
  }

  /** Extends the given list: the cache may have dropped a large one meanwhile. */
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
    { messageId, offset }: RunEntry,
    body: Buffer | null,
  ): void {
    const { weight } = encoded;
    encoded.add(messageId, body);
    // Deliveries still need the configuration; of an entry they need only its encoded text.
    if (offset !== encoded.configurationOffset) this.archive.forget(offset);
    if (encoded.weight === weight && this.encoded.peek(runId) === encoded) return;
    // The cache weighs an element only when it is inserted.
    this.encoded.delete(runId);
    this.encoded.set(runId, encoded);
  }
}

function placeOf(run: RunPlace | null): RunPlace {
  if (run === null) throw new Error('a message that belongs to no run');
  return run;
}

function configured(event: RunEvent): Extract<RunEvent, { configuration: unknown }> {
  if ('configuration' in event) return event;
  throw new Error(`${event.type} brings no configuration`);
}
