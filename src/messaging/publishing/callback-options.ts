/**
 * Reads the callbacks of a publish. A callback is a message of its own, and the header
 * `Svc-Callback-<option>` sets the `<option>` of that message (messaging.md 3.7). Pure.
 */

import { withoutHopHeaders } from '../../grammar/headers.js';
import type { OptionHeaders } from '../../http/dialect.js';
import type { CallbackOptions } from '../messages/message.events.js';
import { OptionReader, type PublishRules } from './option-reader.js';

/**
 * Options that apply to published messages, but not to a message that the server creates itself.
 */
const meaningless = new RegExp(
  '^(failure-)?callback|deduplication|^workflow-' +
    '|^(queue-name|not-before|cron|schedule-id|header-forward)$',
);

const none: OptionHeaders = { prefix: '', options: new Map(), forwarded: [] };

/**
 * The callback that `option` (`callback` or `failure-callback`) names; null = none. `own` holds the
 * callback's own options, which a publish may not give without the callback's URL. Retries and
 * redaction are `inherited` from the message if they are not given. `reader` keeps the first
 * refusal.
 */
export function readCallback(
  reader: OptionReader,
  option: 'callback' | 'failure-callback',
  own: OptionHeaders | null,
  inherited: Pick<CallbackOptions, 'maxRetries' | 'redaction'>,
  rules: PublishRules,
): CallbackOptions | null {
  const url = reader.url(option);
  if (url === null) {
    if (own !== null) reader.refuse('invalid', option, 'is missing although its options are given');
    return null;
  }
  const forwarded = withoutHopHeaders((own ?? none).forwarded);
  const options = new OptionReader(own ?? none, rules);
  options.refuseOptions(meaningless, 'means nothing for a callback');
  options.refuseUnsendable(forwarded);
  const callback: CallbackOptions = {
    url,
    method: options.method(),
    contentType: 'application/json',
    headers: forwarded,
    delayMs: options.delay(),
    timeoutMs: options.timeout(),
    maxRetries: options.retries(inherited.maxRetries),
    retryDelay: options.retryDelay(),
    labels: options.labels(),
    flowControl: options.flowControl(),
    redaction: options.redaction() ?? inherited.redaction,
  };
  reader.refusal ??= options.refusal;
  return callback;
}
