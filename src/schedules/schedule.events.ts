/** What can have happened to a schedule. */
import type { MessageTemplate } from '../messages/message.events.js';

/** The stream kind of schedules. */
export const scheduleKind = 'schedule';

/** What a schedule publishes, where to, and when. */
export interface ScheduleDefinition {
  /** As it was written, trimmed, with its `CRON_TZ=` part. */
  readonly cron: string;
  /** Where its messages go: a URL, or the endpoints that a URL group has at that time. */
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}
