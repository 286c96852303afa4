/** What one trigger of a schedule publishes: its messages, as they are at that moment. Pure. */
import { bodyLengthMax } from '../../../storage/format/record-batch.js';
import type { TurnNames } from '../../engine/decider.js';
import { turnCommandsMax } from '../../engine/turn.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import type { MessageTargets } from '../url-groups/message-targets.js';
import type { StoredDefinition } from './stored-definitions.js';

/** One publish per endpoint, with the body that is stored beside the definition. */
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

/** An upper bound for the parts of a message's event that differ: its URL and endpoint name. */
const ownBytesMax = 32 * 1024;

/**
 * How many of these commands fit into one append: further ones would be turns after the trigger.
 * The messages of a trigger differ only in their endpoints, and have no bodies.
 */
export function commandsPerTurn(messages: readonly PublishMessage[]): number {
  const [first] = messages;
  if (first === undefined || messages.length < turnCommandsMax) return turnCommandsMax;
  const bytes = Buffer.byteLength(JSON.stringify(first.message)) + ownBytesMax;
  return Math.max(1, Math.min(Math.floor(bodyLengthMax / bytes), turnCommandsMax));
}
