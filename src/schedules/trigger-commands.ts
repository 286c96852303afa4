/** What one trigger of a schedule asks for: its messages, as they are at that moment. Pure. */
import type { EventEnvelope } from '../engine/decider.js';
import { withDefaultHeaders } from '../http/default-headers.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { messageKind } from '../messages/message.events.js';
import type { UrlGroup, UrlGroupEndpoint } from '../url-groups/url-group.events.js';
import type { ScheduleCreated, ScheduleDefinition } from './schedule.events.js';

/** Where the messages of one trigger go. */
export type TriggerTargets =
  | {
      readonly ok: true;
      readonly endpoints: readonly UrlGroupEndpoint[];
      /** Headers that all of them get, names and values in turn. */
      readonly headers: readonly string[];
    }
  /** Nowhere, for this reason. */
  | { readonly ok: false; readonly error: string };

/** Looks a schedule's destination up; `findGroup` knows the URL groups as they are now. */
export function triggerTargets(
  { url, topicName }: ScheduleDefinition,
  findGroup: (name: string) => UrlGroup | undefined,
): TriggerTargets {
  if (url !== null) return { ok: true, endpoints: [{ url, name: null }], headers: [] };
  const group = topicName === null ? undefined : findGroup(topicName);
  if (group === undefined) return { ok: false, error: `URL group ${topicName} not found` };
  const { endpoints, headers } = group;
  if (endpoints.length === 0) return { ok: false, error: `URL group ${topicName} is empty` };
  return { ok: true, endpoints, headers };
}

/** Publishes to each endpoint, with the body that stands beside the definition. */
export function triggerMessages(
  { id: scheduleId, offset, event }: EventEnvelope<ScheduleCreated>,
  { endpoints, headers }: Extract<TriggerTargets, { ok: true }>,
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
