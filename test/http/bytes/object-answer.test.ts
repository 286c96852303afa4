import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/engine/clock.js';
import { ByteBudget } from '../../../src/http/bytes/byte-budget.js';
import { InFlight } from '../../../src/http/bytes/in-flight.js';
import { sendObject } from '../../../src/http/bytes/object-answer.js';
import { StoredText } from '../../../src/http/bytes/stored-text.js';
import { InboundMetrics } from '../../../src/http/inbound.metrics.js';

/** The answer that a client receives, and how often the object was read for it. */
async function answered(read: (reads: number) => object) {
  const fastify = Fastify();
  const budget = new ByteBudget(256 * 1024 * 1024);
  const metrics = new InboundMetrics(new Registry());
  const inFlight = new InFlight({ budget, clock: systemClock, metrics });
  let reads = 0;
  fastify.get('/', (request, reply) =>
    sendObject(inFlight, request, reply, async () => {
      reads += 1;
      return read(reads);
    }),
  );
  try {
    const { body, headers } = await fastify.inject('/');
    return { body, headers, reads, held: budget.used };
  } finally {
    await fastify.close();
  }
}

const text = (length: number) =>
  new StoredText(Buffer.from('größe "€" 😀\n'.repeat(length)), 'utf8');
const bytes = (length: number) => new StoredText(Buffer.alloc(length, 0xff), 'base64');

it.each<[string, object, number]>([
  ['without a stored text', { a: 1, b: [{}, null], c: { d: {} }, e: undefined, f: '"' }, 1],
  ['that is empty', {}, 1],
  ['with short ones', { a: text(1), b: 'x', c: { d: bytes(1) } }, 1],
  ['with one of a slice', { a: text(10_000) }, 1],
  ['with long ones', { a: 1, b: text(400_000), c: { d: bytes(3_000_000), e: 2 }, f: text(1) }, 24],
  ['whose piece ends with a text', { a: bytes(768 * 1024), b: bytes(768 * 1024) }, 5],
])('an object %s is answered as its JSON', async (_, object, reads) => {
  const answer = await answered(() => object);
  expect(answer.body === JSON.stringify(object)).toBe(true);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.reads).toBe(reads);
  expect(answer.held).toBe(0);
});

it('an answer in one piece has its length', async () => {
  const { body, headers } = await answered(() => ({ a: text(10_000) }));
  expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
});

it('an answer shows the JSON around its texts as it was first', async () => {
  const { body } = await answered((reads) => ({ reads, body: bytes(2_000_000), after: reads }));
  expect(JSON.parse(body)).toMatchObject({ reads: 1, after: 1 });
});

it('an answer ends if a text has changed meanwhile', async () => {
  const ended = answered((reads) => ({ body: bytes(2_000_000 + reads) }));
  await expect(ended).rejects.toThrow('destroyed');
});
