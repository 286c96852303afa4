/** The part of the server's configuration that controls how workflow runs are accepted and kept. */
import type { MessagingSettings } from '../messaging/settings.js';

/**
 * Units are part of the names. Runs publish messages, so the limits of messages apply to runs too.
 */
export interface WorkflowSettings extends MessagingSettings {
  /** Base URL at which third parties reach this server; announced webhook URLs start with it. */
  readonly publicUrl: string | null;
}
