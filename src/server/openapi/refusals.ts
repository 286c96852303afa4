/** The refusals that an operation is documented with, by status (messaging.md 1.2). Pure. */
import type { RouteDescription } from '../../http/routes/route-description.js';

const meanings: Readonly<Record<number, string>> = {
  400: 'A value is malformed or unknown',
  401: 'No valid credential',
  403: 'The credential does not permit it',
  404: 'What the path names does not exist',
  409: 'The request conflicts with the current state',
  413: 'The body is too large',
  422: 'The state at that time is no longer known (messaging.md 1.8)',
  429: 'Too many failed attempts; with Retry-After',
};

/** Each status with its meaning; `default` covers all others. */
export function refusalsOf(
  path: string,
  { access, query, headers, body, asOf, refuses = [] }: RouteDescription,
): readonly (readonly [status: number, meaning: string])[] {
  const reads = [query, headers, body].some((each) => each !== undefined) || asOf === true;
  const statuses = [
    ...(reads ? [400] : []),
    ...(access === undefined ? [401, 403] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body !== undefined ? [413] : []),
    ...(asOf === true ? [422] : []),
    ...refuses,
  ];
  return [...new Set(statuses)].map((status) => [status, meanings[status] ?? '']);
}
