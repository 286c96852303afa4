import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import Fastify from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { request } from 'undici';
import { ByteBudget } from '../../../src/http/bytes/byte-budget.js';
import { InFlight } from '../../../src/http/bytes/in-flight.js';
import { Failures } from '../../../src/http/failures.js';
import { InboundMetrics } from '../../../src/http/inbound.metrics.js';
import { RouteTable } from '../../../src/http/routes/route-table.js';
import { ErrorFilter } from '../../../src/server/inbound/error.filter.js';
import { DiskFull, TooLarge } from '../../../storage/faults/storage-errors.js';
import { ManualClock } from '../../support/manual-clock.js';

const lines: string[] = [];
const log = pino({}, { write: (line: string) => void lines.push(line) });
const fastify = Fastify();
const budget = new ByteBudget(1024);
const metrics = new InboundMetrics(new Registry());
const inFlight = new InFlight({ budget, clock: new ManualClock(), metrics });
const filter = new ErrorFilter(new RouteTable(fastify, inFlight, {}), new Failures(log), log);
let url = '';
let thrown: unknown;

beforeAll(async () => {
  fastify.setErrorHandler((error, incoming, reply) => {
    filter.catch(error, new ExecutionContextHost([incoming, reply]));
  });
  const fail = async () => {
    throw thrown;
  };
  fastify.get('/v2/keys', fail);
  fastify.get('/topics', fail);
  url = await fastify.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(() => fastify.close());

test('a defect is written to the log, without the query, and not to the client', async () => {
  thrown = new Error('the reason');
  const { statusCode, body } = await request(`${url}/v2/keys?token=secret`);
  expect(statusCode).toBe(500);
  expect(await body.json()).toEqual({ error: 'internal error' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the reason');
  expect(lines[0]).not.toContain('secret');
});

test.each([
  [new TooLarge('the record', 2, 1), 413],
  [new DiskFull('writing', new Error('ENOSPC')), 507],
])('%s has a status of its own', async (error, status) => {
  thrown = error;
  const { statusCode, body } = await request(`${url}/topics`);
  expect(statusCode).toBe(status);
  expect(await body.json()).toEqual({ error: expect.any(String), status });
});
