/** The source of a log of messages, over an engine on disk. */
import type { Engine } from '../../../src/engine/engine.js';
import { Payloads } from '../../../src/engine/payloads.js';
import { MessageContents } from '../../../src/messaging/delivery/message-contents.js';
import type { LogSource, RunningAttempt } from '../../../src/messaging/logs/log-source.js';
import { DeduplicationIndex } from '../../../src/messaging/messages/deduplication.projection.js';
import { messageDecider } from '../../../src/messaging/messages/message.decider.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { StoredMessages } from '../../../src/messaging/messages/stored-messages.js';
import { RunArchive } from '../../../src/workflows/deliveries/run-archive.js';
import { RunEntries } from '../../../src/workflows/deliveries/run-entries.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { ManualClock } from '../../support/manual-clock.js';
import { noRuns } from '../../support/workflows/no-runs.js';
import { startedMs } from './log-history.js';

/** Small segments, so that a history contains sealed ones. */
const storeOptions = { segmentBytes: 4000, freeBytesMin: 0 };

function registerMessages(engine: Engine): void {
  const deduplication = new DeduplicationIndex();
  const none = () => undefined;
  const view = { deduplication, publishedOffset: none, admittedAttempt: none };
  engine.register({ decider: messageDecider(), view, folds: [deduplication] });
  // The history already holds the attempts, so the engine makes none.
  engine.carry('callEndpoint', { start: () => () => undefined });
}

/** An engine that handles only messages. */
export const open = (directory?: string) => openEngine(registerMessages, directory, storeOptions);

/** What a log finds in addition to the journal. */
export interface Reading {
  readonly running?: readonly RunningAttempt[];
  readonly eventsPerPage?: number;
  readonly now?: number;
  readonly retentionMs?: number;
}

export function sourceOver({ engine, journal }: EngineOnDisk, reading: Reading = {}): LogSource {
  const { running = [], eventsPerPage = 1000, now = startedMs, retentionMs = 1e12 } = reading;
  const payloads = new Payloads(journal, 1024 * 1024);
  const runs = new RunEntries(noRuns, new RunArchive(journal, payloads));
  const contents = new MessageContents(payloads, new StoredMessages(payloads), runs);
  return {
    journal,
    shown: (read) => engine.shown(read),
    running: () => running,
    messages: {
      journal,
      publishedOffset: (id) => engine.actors(messageKind).find(id)?.firstOffset,
      body: (published) => contents.read(published),
    },
    clock: new ManualClock(now),
    retentionMs,
    attemptMsMax: 8000,
    budget: { events: eventsPerPage, milliseconds: 1 },
  };
}
