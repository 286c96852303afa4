import type { FastifyInstance } from 'fastify';
import { RouteTable } from '../../../src/http/routes/route-table.js';
import { startServer, type TestServer } from '../../support/server.js';
import { type AnsweredJson, problemsOf } from './openapi-agreement.js';
import { type Openapi, type Operation, openapi } from './openapi-grammar.js';

let server: TestServer;
let document: Openapi;

beforeAll(async () => {
  server = await startServer();
  const response = await fetch(`${server.url}/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/json');
  document = openapi.parse(await response.json());
});

afterAll(() => server.remove());

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const documented = (): Documented[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );

/** A route as the router prints it: `GET /v2/queues/:name`. */
function routesOf(fastify: FastifyInstance): { method: string; pattern: string }[] {
  const parents: string[] = [];
  // If shared prefixes were not printed apart, the parts before some wildcards would be missing.
  const lines = fastify.printRoutes().split('\n');
  return lines.flatMap((line) => {
    const [, indent = '', name = '', methods = ''] =
      /^(.*?)(?:├|└)── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (name === '') return [];
    const depth = indent.length / 4;
    parents.splice(depth, parents.length, name.replace(/ \(-\)$/, ''));
    const pattern = parents.join('').replace(/(.)\/$/, '$1');
    if (methods === '') return [];
    return methods.split(', ').map((method) => ({ method: method.toLowerCase(), pattern }));
  });
}

/** Whether a pattern of the router serves a documented path. */
function isOf(path: string, pattern: string): boolean {
  const text = pattern
    .replace(/\*$/, '\u0000')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '\\{\\w+\\}')
    .replace('\u0000', '\\{.+\\}');
  return new RegExp(`^${text}$`).test(path);
}

const isServed = ({ method, path }: Documented, route: { method: string; pattern: string }) =>
  method === route.method && isOf(path, route.pattern);

describe('the OpenAPI document', () => {
  it('is sent compressed if a client accepts that, and not again if it has it', async () => {
    const get = (headers: Record<string, string>) =>
      fetch(`${server.url}/openapi.json`, { headers });
    const plain = await get({ 'accept-encoding': 'gzip;q=0' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const packed = await get({ 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.json()).toEqual(await plain.json());
    const tag = packed.headers.get('etag') ?? '';
    for (const name of [tag, `W/${tag}`]) {
      const again = await get({ 'if-none-match': name });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('has every route that the server answers', () => {
    const fastify = server.application.nest.getHttpAdapter().getInstance() as FastifyInstance;
    const routes = routesOf(fastify);
    expect(routes.length).toBeGreaterThan(30);
    const known = documented();
    const unknown = routes.filter((route) => !known.some((each) => isServed(each, route)));
    // These routes lack a destination or an event: they only refuse.
    const bare = ['publish', 'enqueue', 'schedules', 'trigger', 'wait', 'notify'];
    const refusing = [
      ...bare.map((name) => ({ method: 'post', pattern: `/v2/${name}` })),
      { method: 'get', pattern: '/v2/waiters' },
    ];
    expect(unknown.filter((route) => !refusing.some((other) => same(route, other)))).toEqual([]);
  });

  it('has no route that the server does not answer', () => {
    const fastify = server.application.nest.getHttpAdapter().getInstance() as FastifyInstance;
    const routes = routesOf(fastify);
    const invented = documented().filter((each) => !routes.some((route) => isServed(each, route)));
    expect(invented.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('describes every route', () => {
    const { routes } = server.application.nest.get(RouteTable);
    const silent = routes.filter(({ description }) => description === null);
    expect(silent.map(({ method, pattern }) => `${method} ${pattern}`)).toEqual([]);
  });

  it('has unique operation names, and every parameter of a path', () => {
    const names = documented().map(({ operation }) => operation.operationId);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    for (const { path, operation } of documented()) {
      const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path');
      const written = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath.map(({ name }) => name)).toEqual(written);
    }
  });

  it('writes each named schema once and refers to each', () => {
    const { schemas } = document.components;
    const text = JSON.stringify(document);
    const referred = new Set(
      [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
    );
    expect([...referred].sort()).toEqual(Object.keys(schemas));
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Job', 'Queue', 'Topic', 'FailedRun']),
    );
    // No schema is given a name within another schema.
    expect(text).not.toContain('$defs');
  });

  it('says that header options have two spellings', () => {
    const { parameters = [] } = document.paths['/v2/publish/{destination}']?.post ?? {};
    const retries = parameters.find(({ name }) => name === 'Svc-Retries');
    expect(retries?.description).toContain('Upstash-Retries');
    const once = document.paths['/produce/{topic}']?.post?.parameters ?? [];
    expect(once.map(({ description = '' }) => description).join()).toContain('Kafka-');
  });

  it('refers to nothing that is missing', () => {
    for (const { operation } of documented()) {
      for (const answer of Object.values(operation.responses)) {
        if (!('$ref' in answer)) continue;
        const name = answer.$ref.replace('#/components/responses/', '');
        expect(Object.keys(document.components.responses)).toContain(name);
      }
      const tags = document.tags.map(({ name }) => name);
      expect(tags).toContain(operation.tags[0]);
      for (const scheme of operation.security.flatMap((each) => Object.keys(each))) {
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme);
      }
    }
  });

  it('requires the credentials that the server requires', async () => {
    for (const { method, path, operation } of documented()) {
      const target = path.replace(/\{\w+\}/g, 'x');
      const response = await fetch(`${server.url}${target}`, { method: method.toUpperCase() });
      await response.text();
      expect([method, path, response.status === 401]).toEqual([
        method,
        path,
        operation.security.length > 0,
      ]);
    }
  });

  it('lists the headers that a retry of dead letters accepts, and no others', async () => {
    for (const path of ['/v2/dlq/retry', '/v2/dlq/retry/{id}']) {
      const parameters = document.paths[path]?.['post']?.parameters ?? [];
      const headers = parameters.flatMap((each) => (each.in === 'header' ? [each.name] : []));
      expect(headers).toContain('Svc-Retries');
      const refusalOf = async (name: string) => {
        const said = { authorization: server.bearer, [name]: '?' };
        const target = `${server.url}${path.replace('{id}', '1-1')}`;
        return (await fetch(target, { method: 'POST', headers: said })).text();
      };
      for (const name of headers) {
        expect(await refusalOf(name)).not.toContain('cannot be changed');
      }
      expect(await refusalOf('Svc-Method')).toContain('cannot be changed');
    }
  });

  it('describes the actual answers', async () => {
    const call = async (method: string, path: string, body?: string, more = {}) => {
      const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
      const headers = { authorization, ...more };
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      const promise = response.headers.get('stepwell-durability');
      return { status: response.status, json: text === '' ? null : JSON.parse(text), promise };
    };
    const agrees = async (method: string, path: string, answer: AnsweredJson) => {
      expect([method, path, problemsOf(document, method, path, answer)]).toEqual([
        method,
        path,
        [],
      ]);
    };
    const later = {
      'svc-delay': '1d',
      'svc-label': 'a,b',
      'svc-flow-control-key': 'key',
      'svc-flow-control-value': 'rate=3',
      'svc-callback': 'http://127.0.0.1:9/called-back',
      'svc-forward-x-tenant': 'acme',
      'content-type': 'text/plain',
    };
    const target = 'http://127.0.0.1:9/x';
    const published = await call('POST', `/v2/publish/${target}`, 'hello', later);
    await agrees('post', '/v2/publish/{destination}', published);
    const queued = await call('POST', `/v2/enqueue/orders/${target}`, 'x', { 'svc-delay': '1d' });
    await agrees('post', '/v2/enqueue/{queueName}/{destination}', queued);
    const items = [{ destination: target, headers: { 'svc-delay': '1d' } }, { destination: '' }];
    await agrees('post', '/v2/batch', await call('POST', '/v2/batch', JSON.stringify(items)));
    const { messageId } = published.json as { messageId: string };
    await agrees('get', '/v2/messages/{id}', await call('GET', `/v2/messages/${messageId}`));
    await agrees('get', '/v2/messages/{id}', await call('GET', '/v2/messages/unknown'));
    const scheduled = await call('POST', `/v2/schedules/${target}`, 'x', {
      ...later,
      'svc-cron': '0 0 1 1 *',
    });
    await agrees('post', '/v2/schedules/{id}', scheduled);
    for (const path of [
      '/v2/logs',
      '/v2/events',
      '/v2/keys',
      '/v2/queues',
      '/v2/schedules',
      '/v2/flowControl',
      '/v2/globalParallelism',
      '/v2/topics',
      '/v2/dlq',
      '/topics',
      '/health/live',
    ]) {
      await agrees('get', path, await call('GET', path));
    }
    const produced = await call('POST', '/produce/orders', JSON.stringify({ value: 'x' }));
    await agrees('post', '/produce/{topic}', produced);
    await agrees('post', '/fetch', await call('POST', '/fetch', '{}'));
  });
});

function same(
  one: { method: string; pattern: string },
  other: { method: string; pattern: string },
) {
  return one.method === other.method && one.pattern === other.pattern;
}
