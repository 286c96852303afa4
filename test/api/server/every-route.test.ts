import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

/** The routes that the server documents: methods by path. */
interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  /** Credentials that the route requires. */
  readonly security: readonly unknown[];
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Routes that stream until the client leaves: here the request is an invalid one. */
const streamTargets: Readonly<Record<string, string>> = { '/v2/live': '/v2/live?kinds=x' };
const streams = new Set(Object.values(streamTargets));

/** What a read-only token may not see; the last is a `GET` of the run `none/token`. */
const confidential = new Set([
  '/v2/keys',
  ...['/v2/workflows/runs/none', '/v2/workflows/runs/none/token'],
]);

let server: TestServer;
/** Each documented path of the messages and workflows interface, with names filled in. */
let targets: readonly string[];
/** The targets that require credentials. */
let guarded: readonly string[];
/** The documented methods of a target: more than one path pattern may match it. */
let methodsOf: (target: string) => readonly string[];

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_MCP: 'true' } });
  const { paths } = (await callApi(server, 'GET', '/openapi.json')).body as Documented;
  const messaging = Object.keys(paths).filter((path) => path.startsWith('/v2/'));
  const targetOf = (path: string) => streamTargets[path] ?? path.replace(/\{\w+\}/g, 'none');
  targets = messaging.map(targetOf);
  const isGuarded = (path: string) =>
    Object.values(paths[path] ?? {}).every(({ security }) => security.length > 0);
  guarded = messaging.filter(isGuarded).map(targetOf);
  methodsOf = (target) => {
    const matching = messaging.filter((path) => {
      // A publish without a destination is refused, but not because of its method.
      const named = path.replace('/{destination}', '(/.*)?');
      // The id of a run may hold any characters.
      const runs = named.replace(/\/runs\/\{\w+\}$/, '/runs/.+');
      const pattern = runs.replace(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(target.replace(/\?.*/, ''));
    });
    const known = matching.flatMap((path) => Object.keys(paths[path] ?? {}));
    // The destination of a new schedule is in the place of a schedule id, and may be any path.
    if (/^\/v2\/schedules(\/|$)/.test(target)) known.push('post');
    return [...new Set(known.map((method) => method.toUpperCase()))].sort();
  };
  expect(targets.length).toBeGreaterThan(30);
  // Webhooks need no other credential than their path.
  expect(targets.length - guarded.length).toBe(1);
});

afterAll(() => server.remove());

const refusal = { error: expect.stringMatching(/./) };

describe('every route of the messages and workflows interface', () => {
  it('answers 405 to any other method, with the methods that it has', async () => {
    for (const target of targets) {
      const known = methodsOf(target);
      for (const method of methods.filter((each) => !known.includes(each))) {
        const { status, headers, body } = await callApi(server, method, target);
        expect([method, target, status]).toEqual([method, target, 405]);
        expect(headers.get('allow')).toBe(known.join(', '));
        expect(body).toEqual(method === 'HEAD' ? null : refusal);
      }
    }
  });

  it('answers 401 to a client that has no token or a wrong one', async () => {
    for (const target of guarded) {
      for (const method of methodsOf(target)) {
        for (const authorization of ['', 'Bearer wrong']) {
          const { status, headers, body } = await callApi(server, method, target, {
            authorization,
          });
          expect([method, target, status]).toEqual([method, target, 401]);
          expect(headers.get('www-authenticate')).toBe('Bearer');
          expect(body).toEqual(refusal);
        }
      }
    }
  });

  it('answers a read-only token unless the request would change something', async () => {
    const authorization = `Bearer ${server.readToken}`;
    for (const target of guarded) {
      for (const method of methodsOf(target)) {
        const { status, body } = await callApi(server, method, target, { authorization });
        if (streams.has(target)) expect([method, target, status]).toEqual([method, target, 400]);
        else if (method === 'GET' && !confidential.has(target)) {
          expect([target, [200, 404]]).toEqual([target, expect.arrayContaining([status])]);
        } else expect([method, target, status, body]).toEqual([method, target, 403, refusal]);
      }
    }
  });

  it('answers the same form of 404 for a resource that does not exist', async () => {
    // The answer for an event that no run waits for is an empty list, not a 404.
    const isMissing = (each: string) => each.includes('none') && each !== '/v2/waiters/none';
    for (const target of targets.filter(isMissing)) {
      if (!methodsOf(target).includes('GET')) continue;
      const { status, body } = await callApi(server, 'GET', target);
      expect([target, status, body]).toEqual([target, 404, refusal]);
    }
  });
});
