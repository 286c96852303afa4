/** A subscription without any option; a test names what it is about. */
import type { MessageTemplate } from '../../src/messaging/messages/message.events.js';
import type { SubscriptionDefinition } from '../../src/topics/subscriptions/subscription.events.js';
import { scheduleDefinition } from './schedule-definition.js';

export function subscriptionDefinition(
  changes: Partial<SubscriptionDefinition> = {},
  message: Partial<MessageTemplate> = {},
): SubscriptionDefinition {
  return {
    topic: 'rides',
    url: 'https://example.com/hook',
    groupName: null,
    maxRecords: 1,
    encoding: 'text',
    message: scheduleDefinition({}, message).message,
    ...changes,
  };
}
