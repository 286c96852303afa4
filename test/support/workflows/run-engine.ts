/** Runs and their messages on an engine that calls no endpoint: a test says how attempts end. */

import type { Command, EventEnvelope, ResultOf } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { Payloads } from '../../../src/engine/payloads.js';
import type { Outcome } from '../../../src/engine/turn.js';
import { flowControlDecider } from '../../../src/messaging/flow-control/flow-control.decider.js';
import { keyNamedBy } from '../../../src/messaging/flow-control/key-naming.policy.js';
import { KeyUsage } from '../../../src/messaging/flow-control/key-usage.projection.js';
import type {
  CancelMessage,
  RecordAttempt,
} from '../../../src/messaging/messages/message.commands.js';
import { Messages } from '../../../src/messaging/messages/message.entity.js';
import {
  type MessagePublished,
  messageKind,
} from '../../../src/messaging/messages/message.events.js';
import { queueDecider } from '../../../src/messaging/queues/queue.decider.js';
import { queueNamedBy } from '../../../src/messaging/queues/queue-naming.policy.js';
import { RunArchive } from '../../../src/workflows/deliveries/run-archive.js';
import { RunEntries } from '../../../src/workflows/deliveries/run-entries.js';
import { Runs } from '../../../src/workflows/runs/run.entity.js';
import { openEngine } from '../engine.js';
import { epochMs } from '../given.js';

export type Published = EventEnvelope<MessagePublished>;

const carriesNothing = { start: () => () => undefined };

function registerMessages(engine: Engine): Messages {
  const messages = new Messages(engine);
  engine.carry('callEndpoint', carriesNothing);
  const usage = new KeyUsage();
  engine.register({ decider: flowControlDecider, view: usage, folds: [] });
  messages.follow(usage);
  messages.reactTo(queueNamedBy);
  messages.reactTo(keyNamedBy);
  engine.register({ decider: queueDecider, view: null, folds: [] });
  return messages;
}

/** `join` registers what follows runs and their messages. */
export async function openRunEngine(
  directory?: string,
  join: (engine: Engine, runs: Runs, messages: Messages) => void = () => undefined,
) {
  let messages: Messages | undefined;
  let runs: Runs | undefined;
  const opened = await openEngine((engine) => {
    messages = registerMessages(engine);
    runs = new Runs(engine, messages);
    engine.carry('endWait', carriesNothing);
    join(engine, runs, messages);
  }, directory);
  if (runs === undefined || messages === undefined) throw new Error('runs are not registered');
  const { engine, journal } = opened;
  const of = runs;
  const payloads = new Payloads(journal, 1024 * 1024);
  const archive = new RunArchive(journal, payloads);
  const ask = async <Own extends Command>(command: Own): Promise<Outcome<ResultOf<Own>>> => {
    const [outcome] = await engine.dispatch([command]);
    return outcome;
  };
  return {
    ...opened,
    messages,
    runs,
    payloads,
    archive,
    entries: new RunEntries(runs, archive),
    ask,
    /** What memory holds of a run that is active. */
    run: (id = 'wfr_1') => of.find(id)?.state,
    /** What a message of the engine was published with, as the journal has it. */
    async published(id: string): Promise<Published> {
      for await (const envelope of journal.find(id, 0, journal.endOffset)) {
        if (envelope.event.type === 'MessagePublished') return envelope as Published;
      }
      throw new Error(`${id} was not published`);
    },
    /** The types of the events of a stream, in their order. */
    async history(id: string): Promise<string[]> {
      const types: string[] = [];
      for await (const { event } of journal.find(id, 0, journal.endOffset)) types.push(event.type);
      return types;
    },
    /** An attempt of a message ends with this status. */
    attempted: (id: string, status: number, changes: Partial<RecordAttempt> = {}) =>
      ask<RecordAttempt>({
        type: 'RecordAttempt',
        kind: messageKind,
        id,
        at: epochMs,
        record: {
          attempt: 0,
          startedAt: epochMs,
          durationMs: 1,
          status,
          headers: [],
          error: null,
        },
        nonRetryable: false,
        responseBody: Buffer.from('answer'),
        terms: [],
        ...changes,
      }),
    canceled: (id: string) =>
      ask<CancelMessage>({ type: 'CancelMessage', kind: messageKind, id, at: epochMs, terms: [] }),
  };
}

export type RunEngine = Awaited<ReturnType<typeof openRunEngine>>;
