/** Wiring of queues: their settings in the engine, and their order at the gates. */
import { Inject, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Engine } from '../../engine/engine.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { greatestGauge } from '../../engine/metrics/greatest-gauge.js';
import { provided } from '../../engine/provided.js';
import { Gates } from '../gates/gates.js';
import { GatesModule } from '../gates/gates.module.js';
import { Messages } from '../messages/message.entity.js';
import { MessagesModule } from '../messages/messages.module.js';
import type { MessagingSettings } from '../settings.js';
import { Queues } from './queue.entity.js';
import { QueueEntries } from './queue-entries.js';
import { QueueGate } from './queue-gate.js';
import { queueNamedBy } from './queue-naming.policy.js';
import { QueueRemoval } from './queue-removal.js';
import { QueuesController } from './queues.controller.js';

/** Exports what is needed to show which messages wait in which queue. */
@Module({
  imports: [GatesModule, MessagesModule],
  controllers: [QueuesController],
  providers: [Queues, QueueEntries, QueueGate, QueueRemoval],
  exports: [Queues, QueueEntries],
})
export class QueuesModule {
  constructor(
    engine: Engine,
    messages: Messages,
    queues: Queues,
    entries: QueueEntries,
    gate: QueueGate,
    gates: Gates,
    removal: QueueRemoval,
    registry: Registry,
    @Inject(provided.config) settings: MessagingSettings,
  ) {
    messages.reactTo(queueNamedBy, { types: { MessagePublished: ['queueName'] } });
    // A turn may change a queue and its messages, so the gate learns of both in order.
    const { memory, interest } = entries;
    engine.index([messages.kind, queues.kind], gate.index, memory, interest);
    queues.observe(removal.listener);
    gates.add(gate);
    const help = 'Messages in queues that are not final.';
    gauge(registry, 'stepwell_queue_lag_messages', help, () => entries.lag);
    const longest = {
      name: 'stepwell_longest_queue_messages',
      help: 'Messages not final in the longest queues, by name, and in all others.',
      label: 'queue',
      namedMax: settings.metricsNamesMax,
    };
    greatestGauge(registry, longest, () => entries.lags());
  }
}
