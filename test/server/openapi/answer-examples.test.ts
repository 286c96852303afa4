import { z } from 'zod';
import { sampleOf } from '../../../src/server/openapi/sample.js';
import { startServer } from '../../support/server.js';
import { openapi } from './openapi-grammar.js';

it('the document has an example of every JSON answer, which matches its schema', async () => {
  const server = await startServer();
  const document = openapi.parse(await (await fetch(`${server.url}/openapi.json`)).json());
  await server.remove();
  const { schemas } = document.components;
  let shown = 0;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const [status, answer] of Object.entries(responses)) {
        if (!status.startsWith('2') || '$ref' in answer) continue;
        const { schema, example } = answer.content?.['application/json'] ?? {};
        if (schema === undefined) continue;
        expect([method, path, status, example === undefined]).toEqual([
          method,
          path,
          status,
          false,
        ]);
        const whole = JSON.stringify({ ...schema, $defs: schemas });
        const local = JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/'));
        const read = z.fromJSONSchema(local).safeParse(example);
        expect([method, path, read.error?.issues ?? []]).toEqual([method, path, []]);
        shown += 1;
      }
    }
  }
  expect(shown).toBeGreaterThan(100);
});

describe('an example of a schema', () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } },
  };

  it('ends where a schema contains itself', () => {
    const example = sampleOf({ $ref: '#/components/schemas/Node' }, { Node: node });
    expect(example).toEqual({ name: 'orders' });
  });

  it('uses a known value only if it has the requested type', () => {
    const properties = { partition: { type: 'string' }, offset: { type: 'integer', maximum: 9 } };
    expect(sampleOf({ type: 'object', properties }, {})).toEqual({ partition: 'text', offset: 1 });
  });
});
