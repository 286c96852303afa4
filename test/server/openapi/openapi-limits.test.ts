import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';
import { type Openapi, type Operation, openapi } from './openapi-grammar.js';

let server: TestServer;
let document: Openapi;

beforeAll(async () => {
  server = await startServer();
  document = openapi.parse(await (await fetch(`${server.url}/openapi.json`)).json());
  const topic = JSON.stringify({ name: 'none' });
  await callApi(server, 'POST', '/admin/topics', { authorization: server.basic }, topic);
});
afterAll(() => server.remove());

/** A whole number of a request, and the limits that the document gives it. */
interface Limited {
  readonly path: string;
  readonly name: string;
  readonly place: string;
  readonly minimum: number;
}

interface NumberSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly items?: NumberSchema;
}

function limitedIn(path: string, { parameters = [] }: Operation): Limited[] {
  return parameters.flatMap(({ name, in: place, schema }) => {
    // Every schema is JSON Schema, in which these fields have these types.
    const one = schema as NumberSchema;
    const { type, minimum } = one.items ?? one;
    if (type !== 'integer') return [];
    return [{ path, name, place, minimum: minimum ?? Number.NaN }];
  });
}

/** All of `GET`s, except those that are endless or have a body, which no client here sends. */
const limited = () =>
  Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (get === undefined || get.requestBody !== undefined || path.startsWith('/tail')) return [];
    return limitedIn(path, get);
  });

let groups = 0;

async function errorFor({ path, name, place }: Limited, value: number): Promise<string> {
  groups += 1;
  const filled = path.replace('{group}', `g${groups}`);
  const target = filled.replace(/\{\w+\}/g, 'none');
  const isQuery = place === 'query';
  const query = isQuery ? `?${name}=${value}` : '';
  const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
  const headers = { authorization, ...(!isQuery && { [name]: String(value) }) };
  const answer = await callApi(server, 'GET', `${target}${query}`, headers);
  return answer.status === 400 ? (answer.body as { readonly error: string }).error : '';
}

it('a whole number is refused below its documented minimum, and not at it', async () => {
  const all = limited();
  expect(all.length).toBeGreaterThan(40);
  for (const one of all) {
    const { path, name, minimum } = one;
    const refusal = `${name.toLowerCase()} must be`;
    const below = (await errorFor(one, minimum - 1)).toLowerCase();
    expect([path, name, minimum, below]).toEqual([path, name, minimum, stringWith(refusal)]);
    const at = (await errorFor(one, minimum)).toLowerCase();
    expect([path, name, minimum, at]).toEqual([
      path,
      name,
      minimum,
      expect.not.stringContaining(refusal),
    ]);
  }
}, 60_000);

const stringWith = (text: string): unknown => expect.stringContaining(text);

it('no number has the limits of a double', () => {
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

it('an answer that can be a stream is documented as one, too', () => {
  const typesOf = (path: string) => {
    const answer = document.paths[path]?.get?.responses['200'];
    return answer !== undefined && 'content' in answer ? Object.keys(answer.content ?? {}) : [];
  };
  expect(typesOf('/consume/{group}/{instance}/{topic}').sort()).toEqual([
    'application/json',
    'application/x-ndjson',
    'text/event-stream',
  ]);
  expect(typesOf('/admin/journal')).toContain('text/event-stream');
});
