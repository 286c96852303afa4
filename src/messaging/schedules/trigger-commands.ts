/** What one trigger of a schedule publishes: its messages, as they are at that moment. Pure. */
import type { TurnNames } from '../../engine/decider.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import type { MessageTargets } from '../url-groups/message-targets.js';
import type { StoredDefinition } from './stored-definitions.js';

/** Publishes to each endpoint, with the body that stands beside the definition. */
export function triggerMessages(
  { id: scheduleId, offset, event }: StoredDefinition,
  { endpoints, headers }: Extract<MessageTargets, { ok: true }>,
  at: number,
  names: TurnNames,
): PublishMessage[] {
  const { delayMs, headers: own, ...template } = event.message;
  const message = {
    headers: withDefaultHeaders(own, headers),
    notBefore: at + delayMs,
    bodyOffset: offset,
    callbackOf: null,
    topicName: event.topicName,
    scheduleId,
    run: null,
    ...template,
  };
  return endpoints.map(({ url, name }) => ({
    type: 'PublishMessage',
    kind: messageKind,
    id: names.next('msg'),
    at,
    message: { url, endpointName: name, ...message },
    body: noBody,
    sharesBodyWith: null,
  }));
}

const noBody = Buffer.alloc(0);
