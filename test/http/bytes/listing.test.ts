import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/engine/clock.js';
import { ByteBudget } from '../../../src/http/bytes/byte-budget.js';
import { InFlight } from '../../../src/http/bytes/in-flight.js';
import { type ListingPage, sendListing } from '../../../src/http/bytes/listing.js';
import { InboundMetrics } from '../../../src/http/inbound.metrics.js';

/** What a client parses from a listing of these pages. */
async function listed(pages: readonly ListingPage[]): Promise<unknown> {
  const fastify = Fastify();
  const budget = new ByteBudget(256 * 1024 * 1024);
  const metrics = new InboundMetrics(new Registry());
  const inFlight = new InFlight({ budget, clock: systemClock, metrics });
  const rest = [...pages];
  fastify.get('/', (request, reply) =>
    sendListing(inFlight, request, reply, 'rows', async () => {
      const page = rest.shift();
      if (page === undefined) throw new Error('no more pages were expected');
      return page;
    }),
  );
  const { body } = await fastify.inject('/');
  await fastify.close();
  return JSON.parse(body);
}

const page = (rows: readonly number[], cursor: string | null, isLong: boolean): ListingPage => ({
  rows,
  cursor,
  isLong,
});

it.each([
  ['the next one has rows', [page([1, 2], 'a', true), page([3], null, false)], [1, 2, 3]],
  ['the next one has none', [page([1, 2], 'a', true), page([], null, false)], [1, 2]],
  [
    'it has none itself',
    [page([], 'a', true), page([1], 'b', true), page([2], null, false)],
    [1, 2],
  ],
  ['there are none at all', [page([], 'a', true), page([], null, false)], []],
])('a listing is one JSON document when a page is long and %s', async (_, pages, rows) => {
  expect(await listed(pages)).toEqual({ rows });
});

it('a listing says where it continues', async () => {
  expect(await listed([page([1], 'next', false)])).toEqual({ rows: [1], cursor: 'next' });
});
