/** An operation as a command, with the address of this server and the required parameters. Pure. */
import { curlOf, quoted } from '../parts/shell-words.ts';
import type { Operation } from './openapi.ts';

/** `token` is the public one of a development server; if null, a variable is used instead. */
export function asCurl(operation: Operation, origin: string, token: string | null): string {
  const { method, path, parameters = [], requestBody, security } = operation;
  const asked = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const query = asked.map(({ name }) => `${name}=...`).join('&');
  const url = `${origin}${path}${query === '' ? '' : `?${query}`}`;
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const hasBody =
    media !== undefined && (media.example !== undefined || requestBody?.required === true);
  // With a body and no method, `curl` would send a POST.
  const words = method === 'GET' && !hasBody ? [] : [`-X ${method}`];
  words.push(...credentialOf(security, token));
  for (const { name, in: place, required } of parameters) {
    if (place === 'header' && required) words.push(`-H ${quoted(`${name}: ...`)}`);
  }
  if (hasBody) {
    words.push(`-H ${quoted(`Content-Type: ${type === '*/*' ? 'text/plain' : type}`)}`);
    words.push(`-d ${quoted(media.example === undefined ? '...' : JSON.stringify(media.example))}`);
  }
  return curlOf(url, words);
}

function credentialOf(security: Operation['security'], token: string | null): readonly string[] {
  if (security.length === 0) return [];
  if (security.some((each) => 'basic' in each)) {
    return ['-u "$STEPWELL_REST_USERNAME:$STEPWELL_REST_PASSWORD"'];
  }
  return [`-H "Authorization: Bearer ${token ?? '$STEPWELL_TOKEN'}"`];
}
