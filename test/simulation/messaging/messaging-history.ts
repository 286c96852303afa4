/** What a simulation has seen: everything acknowledged, and what the journal says became of it. */
import type { EventEnvelope } from '../../../src/engine/decider.js';
import type {
  MessageEvent,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import type { Turns } from '../past.js';

/** One message as the journal tells it. */
export interface MessageHistory {
  readonly id: string;
  readonly published: EventEnvelope<MessagePublished>;
  readonly events: readonly EventEnvelope<MessageEvent>[];
}

/** Every message that there has been, in the order they were published. */
export async function messageHistories(past: Turns): Promise<Map<string, MessageHistory>> {
  const histories = new Map<string, MessageHistory & { events: EventEnvelope<MessageEvent>[] }>();
  for await (const envelopes of past.replay()) {
    for (const envelope of envelopes) {
      if (envelope.kind !== messageKind) continue;
      const event = envelope as EventEnvelope<MessageEvent>;
      const known = histories.get(envelope.id);
      if (known !== undefined) known.events.push(event);
      else {
        const published = envelope as EventEnvelope<MessagePublished>;
        histories.set(envelope.id, { id: envelope.id, published, events: [event] });
      }
    }
  }
  return histories;
}

/** How a message ended; `pending` = it has not. */
export type Fate = 'delivered' | 'failed' | 'canceled' | 'pending';

export function fateOf({ events }: MessageHistory): Fate {
  switch (events.at(-1)?.event.type) {
    case 'MessageDelivered':
      return 'delivered';
    case 'MessageFailed':
      return 'failed';
    case 'MessageCompleted':
    case 'MessageCanceled':
      return 'canceled';
    default:
      return 'pending';
  }
}
