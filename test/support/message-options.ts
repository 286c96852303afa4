/** What a publish without any option is stored with; a test names what it is about. */
import type {
  CallbackOptions,
  MessagePublished,
} from '../../src/messaging/messages/message.events.js';

type Options = Omit<MessagePublished, 'type'>;

export function messageOptions(changes: Partial<Options> = {}): Options {
  return {
    dialect: 'svc',
    url: 'https://example.com/hook',
    method: 'POST',
    contentType: null,
    headers: [],
    notBefore: 0,
    timeoutMs: null,
    maxRetries: 3,
    retryDelay: null,
    labels: [],
    flowControl: null,
    deduplicationKey: null,
    callerIp: '127.0.0.1',
    bodyBytes: 0,
    bodyOffset: null,
    redaction: null,
    callback: null,
    failureCallback: null,
    callbackOf: null,
    queueName: null,
    topicName: null,
    endpointName: null,
    scheduleId: null,
    run: null,
    ...changes,
  };
}

/** The callback that a publish asks for, without any option of its own. */
export function callbackOptions(changes: Partial<CallbackOptions> = {}): CallbackOptions {
  return {
    url: 'https://example.com/called',
    method: 'POST',
    contentType: 'application/json',
    headers: [],
    delayMs: 0,
    timeoutMs: null,
    maxRetries: 3,
    retryDelay: null,
    labels: [],
    flowControl: null,
    redaction: null,
    ...changes,
  };
}
