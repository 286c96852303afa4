/** The real journal and engine with messages in it, without HTTP and without calls. */
import { JournalClock, systemClock } from '../../src/engine/clock.js';
import { Engine } from '../../src/engine/engine.js';
import { EventCodec } from '../../src/engine/event-codec.js';
import { systemIdentifiers } from '../../src/engine/identifiers.js';
import { Journal, openJournalLog } from '../../src/engine/journal.js';
import { DeduplicationIndex } from '../../src/messaging/messages/deduplication.projection.js';
import { messageDecider } from '../../src/messaging/messages/message.decider.js';
import type { Store } from '../../storage/store.js';

export interface MessageEngine {
  readonly engine: Engine;
  readonly journal: Journal;
}

/** Every message of the bench is due tomorrow, so no effect has to call its endpoint. */
export async function openMessageEngine(store: Store): Promise<MessageEngine> {
  const codec = new EventCodec();
  const log = await openJournalLog(store);
  const journal = new Journal(log, codec);
  const engine = new Engine(log, codec, new JournalClock(systemClock), systemIdentifiers, {
    turnFailed: (error) => {
      throw error;
    },
    reactionRefused: ({ refusal }) => {
      throw new Error(refusal.message);
    },
  });
  const deduplication = new DeduplicationIndex();
  const none = () => undefined;
  const view = { deduplication, publishedOffset: none, admittedAttempt: none };
  engine.register({ decider: messageDecider(), view, folds: [deduplication] });
  engine.carry('callEndpoint', {
    start: () => {
      throw new Error('no message of the bench is due');
    },
  });
  return { engine, journal };
}
