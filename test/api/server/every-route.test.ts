import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

/** What the server says it answers: path to methods. */
interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  /** Credentials that it asks for. */
  readonly security: readonly unknown[];
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Routes whose answers go on until their clients leave: here they are asked for what is not. */
const streamTargets: Readonly<Record<string, string>> = { '/v2/live': '/v2/live?kinds=x' };
const streams = new Set(Object.values(streamTargets));

/** What a token that may only read does not see; the last is the run `none/token` to a `GET`. */
const confidential = new Set([
  '/v2/keys',
  ...['/v2/workflows/runs/none', '/v2/workflows/runs/none/token'],
]);

let server: TestServer;
/** Each documented path of messages, with names filled in. */
let targets: readonly string[];
/** Those of them that ask for credentials. */
let guarded: readonly string[];
/** The documented methods of a target: more than one pattern may match it. */
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
      // Without a destination a publish is refused, but not for its method.
      const named = path.replace('/{destination}', '(/.*)?');
      // The id of a run may hold any characters.
      const runs = named.replace(/\/runs\/\{\w+\}$/, '/runs/.+');
      const pattern = runs.replace(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(target.replace(/\?.*/, ''));
    });
    const known = matching.flatMap((path) => Object.keys(paths[path] ?? {}));
    // The destination of a new schedule stands where the id of one does, and may be any path.
    if (/^\/v2\/schedules(\/|$)/.test(target)) known.push('post');
    return [...new Set(known.map((method) => method.toUpperCase()))].sort();
  };
  expect(targets.length).toBeGreaterThan(30);
  // Webhooks, whose path is the credential.
  expect(targets.length - guarded.length).toBe(1);
});

afterAll(() => server.remove());

const refusal = { error: expect.stringMatching(/./) };

describe('every route of messages', () => {
  it('answers 405, and which methods it has, to all others', async () => {
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

  it('answers 401 to a client that has no token, or a wrong one', async () => {
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

  it('answers a token that may only read, unless it would change something', async () => {
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

  it('tells of what is not there in the one shape of refusals', async () => {
    // An event that no run waits for is an empty list, not a 404.
    const isMissing = (each: string) => each.includes('none') && each !== '/v2/waiters/none';
    for (const target of targets.filter(isMissing)) {
      if (!methodsOf(target).includes('GET')) continue;
      const { status, body } = await callApi(server, 'GET', target);
      expect([target, status, body]).toEqual([target, 404, refusal]);
    }
  });
});
