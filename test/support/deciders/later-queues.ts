/** Has a server of this process write as a later version of the program would. */
import { EventCodec } from '../../../src/engine/event-codec.js';
import { queueDecider } from '../../../src/messaging/queues/queue.decider.js';
import type { TestServer } from '../server.js';

/** From now on queues are created by events of version 2. */
export function writeLaterQueues({ application }: TestServer): void {
  const { kind, events } = queueDecider;
  const later = { ...events, QueueCreated: [(fields: never) => fields] };
  application.nest.get(EventCodec, { strict: false }).learn({ kind, events: later });
}

/** Creates such a queue. */
export async function createQueue({ url, bearer }: TestServer, queueName: string): Promise<void> {
  const answer = await fetch(`${url}/v2/queues`, {
    method: 'POST',
    headers: { authorization: bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ queueName }),
  });
  if (answer.status !== 200) throw new Error(`the queue was answered ${answer.status}`);
}
