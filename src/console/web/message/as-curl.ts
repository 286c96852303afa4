/** The request that publishes a message like this one, as a command. Pure. */

import { headerText } from '../../../grammar/headers.js';
import { bodyWords, type GivenBody } from '../bodies/body-words.ts';
import { quoted } from '../parts/shell-words.ts';
import { type MessageOptions, optionsOf } from '../publish/options.ts';

/** A message, as far as it is asked for. */
export interface PublishedMessage extends Omit<MessageOptions, 'retries'>, GivenBody {
  readonly url: string;
  readonly maxRetries: number;
  readonly queueName?: string | undefined;
}

/** Its options as headers; names begin with `prefix`. */
export function messageOptions(
  message: PublishedMessage,
  prefix: string,
): ReadonlyMap<string, string> {
  const { maxRetries: retries } = message;
  return optionsOf(Object.assign({ retries }, message), prefix);
}

/** Where it is published: to its queue, or without one. */
export function pathOf({ queueName, url }: PublishedMessage): string {
  return queueName === undefined
    ? `/v2/publish/${url}`
    : `/v2/enqueue/${encodeURIComponent(queueName)}/${url}`;
}

/** The words behind `curl <address>`. */
export function curlWords(message: PublishedMessage, prefix: string): readonly string[] {
  const options = messageOptions(message, prefix);
  const headers = [...options].map(([name, value]) => {
    return `-H ${quoted(`${name}: ${headerText(value)}`)}`;
  });
  return [...headers, ...bodyWords(message, options.has('Content-Type'))];
}
