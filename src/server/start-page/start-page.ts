/**
 * `GET /`: where everything is, for programs; people are redirected to the console. Contains no
 * secrets.
 */
import { version } from '../../grammar/version.js';

/** The paths that need no credential, with their meaning. */
const links: Readonly<Record<string, string>> = {
  '/console': 'the console, for people with a browser',
  '/docs': 'the reference of the API, for people with a browser',
  '/openapi.json': 'every route, its parameters and answers (OpenAPI 3.1)',
  '/health/live': 'whether the process lives',
  '/health/ready': 'whether it takes work, and why not',
  '/metrics': 'what it counts and measures (Prometheus)',
};

/** The answer, which is the same for all clients. */
export const startObject = { name: 'stepwell', version, links };
