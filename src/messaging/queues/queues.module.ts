/** Wiring of queues: their settings in the engine, their order in front of the way out. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import { Gates } from '../gates/gates.js';
import { messageKind } from '../messages/message.events.js';
import { queueKind } from './queue.commands.js';
import { type QueueState, queueDecider } from './queue.decider.js';
import { defaultSettings } from './queue.events.js';
import { QueueEntries } from './queue-entries.js';
import { QueueGate } from './queue-gate.js';
import { queueNamedBy } from './queue-naming.policy.js';
import { QueueRemoval } from './queue-removal.js';
import { QueuesController } from './queues.controller.js';

@Module({
  controllers: [QueuesController],
  providers: [
    { provide: QueueEntries, inject: [Engine, Gates, Registry], useFactory: queueEntries },
    {
      provide: QueueRemoval,
      inject: [Engine, Payloads, QueueEntries, provided.clock],
      useFactory: queueRemoval,
    },
  ],
})
export class QueuesModule {}

function queueEntries(engine: Engine, gates: Gates, registry: Registry): QueueEntries {
  const entries = new QueueEntries();
  const gate = new QueueGate(entries, gates, (name) => {
    const state = engine.actors(queueKind).stateOf(name) as QueueState;
    return state ?? defaultSettings;
  });
  gates.add(gate);
  engine.register({ decider: queueDecider, view: null, folds: [] });
  engine.reactTo(messageKind, queueNamedBy);
  engine.index(gate.index);
  const help = 'Messages in queues that are not final.';
  gauge(registry, 'stepwell_queue_lag_messages', help, () => entries.lag);
  return entries;
}

function queueRemoval(
  engine: Engine,
  payloads: Payloads,
  entries: QueueEntries,
  clock: Clock,
): QueueRemoval {
  const removal = new QueueRemoval(engine, payloads, entries, clock);
  engine.observe(removal.listener);
  return removal;
}
