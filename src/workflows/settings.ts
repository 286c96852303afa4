/** What of the server's configuration decides how workflow runs are taken in and kept. */
import type { MessagingSettings } from '../messaging/settings.js';

/** Units are in the names; runs publish messages, so that what limits these limits them. */
export interface WorkflowSettings extends MessagingSettings {
  /** Where third parties reach this server: the base of the webhooks that are announced. */
  readonly publicUrl: string | null;
}
