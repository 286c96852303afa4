/** Filters that every message passes; a test adds those that it is about. */
import type { OriginFilters } from '../../src/messaging/messages/message-filter.js';

export const anyOrigin: OriginFilters = {
  url: null,
  topicName: null,
  queueName: null,
  scheduleId: null,
  label: null,
  flowControlKey: null,
  callerIp: null,
  sourceMessageId: null,
  fromDate: null,
  toDate: null,
};
