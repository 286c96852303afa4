/** The context of a request, as a test needs it. */
import { dialects } from '../../src/http/dialect.js';
import type { RequestContext } from '../../src/messaging/publishing/publish.request.js';
import { epochMs } from './given.js';

/** Of a request without a dialect of its own; what it makes is numbered from 0. */
export function requestContext(changes: Partial<RequestContext> = {}): RequestContext {
  let count = 0;
  const names = { next: (prefix: string) => `${prefix}_${count++}` };
  return { at: epochMs, callerIp: '127.0.0.1', dialect: dialects.svc, names, ...changes };
}
