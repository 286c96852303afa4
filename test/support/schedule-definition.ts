/** A schedule without any option; a test names what it is about. */
import type { MessageTemplate } from '../../src/messaging/messages/message.events.js';
import type { ScheduleDefinition } from '../../src/messaging/schedules/schedule.events.js';
import { messageOptions } from './message-options.js';

export function scheduleDefinition(
  changes: Partial<ScheduleDefinition> = {},
  message: Partial<MessageTemplate> = {},
): ScheduleDefinition {
  const {
    url: _url,
    notBefore: _notBefore,
    bodyOffset: _bodyOffset,
    callbackOf: _callbackOf,
    topicName: _topicName,
    endpointName: _endpointName,
    scheduleId: _scheduleId,
    ...template
  } = messageOptions();
  return {
    cron: '*/5 * * * *',
    url: 'https://example.com/hook',
    topicName: null,
    message: { ...template, delayMs: 0, ...message },
    ...changes,
  };
}
