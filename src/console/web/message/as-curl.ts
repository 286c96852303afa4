/** A command with the request that publishes a message like this one. Pure. */

import { headerText } from '../../../grammar/headers.js';
import { bodyWords, type GivenBody } from '../bodies/body-words.ts';
import { quoted } from '../parts/shell-words.ts';
import { destinationPath } from '../publish/destination-path.ts';
import { type MessageOptions, optionsOf } from '../publish/options.ts';

/** The fields of a message that are needed. */
export interface PublishedMessage extends Omit<MessageOptions, 'retries'>, GivenBody {
  readonly url: string;
  readonly maxRetries: number;
  readonly queueName?: string | undefined;
}

/** The options of a message as headers, whose names begin with `prefix`. */
export function messageOptions(
  message: PublishedMessage,
  prefix: string,
): ReadonlyMap<string, string> {
  const { maxRetries: retries } = message;
  return optionsOf(Object.assign({ retries }, message), prefix);
}

/** The path to publish it to: that of its queue, if it has one. */
export function pathOf({ queueName, url }: PublishedMessage): string {
  const route =
    queueName === undefined ? '/v2/publish/' : `/v2/enqueue/${encodeURIComponent(queueName)}/`;
  return destinationPath(route, url);
}

/** The arguments after `curl <address>`. */
export function curlWords(message: PublishedMessage, prefix: string): readonly string[] {
  const options = messageOptions(message, prefix);
  const headers = [...options].map(([name, value]) => {
    return `-H ${quoted(`${name}: ${headerText(value)}`)}`;
  });
  return [...headers, ...bodyWords(message, options.has('Content-Type'))];
}
