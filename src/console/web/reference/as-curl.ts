/** An operation as a command, with the address of this server and the required parameters. Pure. */
import { quoted } from '../parts/shell-words.ts';
import type { Operation } from './openapi.ts';

/** `token` is the public one of a development server; if null, a variable is used instead. */
export function asCurl(operation: Operation, origin: string, token: string | null): string {
  const { method, path, parameters = [], requestBody, security } = operation;
  const asked = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const query = asked.map(({ name }) => `${name}=...`).join('&');
  const url = `${origin}${path}${query === '' ? '' : `?${query}`}`;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`];
  lines.push(...credentialOf(security, token));
  for (const { name, in: place, required } of parameters) {
    if (place === 'header' && required) lines.push(`-H ${quoted(`${name}: ...`)}`);
  }
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (media !== undefined && (media.example !== undefined || requestBody?.required === true)) {
    lines.push(`-H ${quoted(`Content-Type: ${type === '*/*' ? 'text/plain' : type}`)}`);
    lines.push(`-d ${quoted(media.example === undefined ? '...' : JSON.stringify(media.example))}`);
  }
  return lines.join(' \\\n  ');
}

function credentialOf(security: Operation['security'], token: string | null): readonly string[] {
  if (security.length === 0) return [];
  if (security.some((each) => 'basic' in each)) {
    return ['-u "$STEPWELL_REST_USERNAME:$STEPWELL_REST_PASSWORD"'];
  }
  return [`-H "Authorization: Bearer ${token ?? '$STEPWELL_TOKEN'}"`];
}
