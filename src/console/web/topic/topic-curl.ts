/** A `curl` of the log interface, with its own credential as the server was started with it. */
import { curlOf } from '../parts/shell-words.ts';

/** The command as one text; `more` are further words of it, as they are. */
export function topicCurl(path: string, ...more: readonly string[]): string {
  const credential = '-u "$STEPWELL_REST_USERNAME:$STEPWELL_REST_PASSWORD"';
  return curlOf(`${location.origin}${path}`, [credential, ...more]);
}
