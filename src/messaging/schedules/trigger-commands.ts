/** What one trigger of a schedule asks for: its messages, as they are at that moment. Pure. */
import type { EventEnvelope } from '../../engine/decider.js';
import { withDefaultHeaders } from '../../grammar/default-headers.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import type { MessageTargets } from '../url-groups/message-targets.js';
import type { ScheduleCreated } from './schedule.events.js';

/** Publishes to each endpoint, with the body that stands beside the definition. */
export function triggerMessages(
  { id: scheduleId, offset, event }: EventEnvelope<ScheduleCreated>,
  { endpoints, headers }: Extract<MessageTargets, { ok: true }>,
  at: number,
  idOf: (index: string) => string,
): PublishMessage[] {
  const { delayMs, ...template } = event.message;
  const message = {
    ...template,
    headers: withDefaultHeaders(template.headers, headers),
    notBefore: at + delayMs,
    bodyOffset: offset,
    callbackOf: null,
    topicName: event.topicName,
    scheduleId,
    run: null,
  };
  return endpoints.map(({ url, name }, index) => ({
    type: 'PublishMessage',
    kind: messageKind,
    id: idOf(index.toString(36)),
    at,
    message: { ...message, url, endpointName: name },
    body: noBody,
    sharesBodyWith: null,
  }));
}

const noBody = Buffer.alloc(0);
