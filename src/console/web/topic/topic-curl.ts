/** A `curl` command for the log interface, with the credential that the server was started with. */
import { curlOf } from '../parts/shell-words.ts';

/** The command as one text; `more` are further arguments, unchanged. */
export function topicCurl(path: string, ...more: readonly string[]): string {
  const credential = '-u "$STEPWELL_REST_USERNAME:$STEPWELL_REST_PASSWORD"';
  return curlOf(`${location.origin}${path}`, [credential, ...more]);
}
