import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { Allowance } from '../../../src/http/bytes/allowance.js';
import { ByteBudget } from '../../../src/http/bytes/byte-budget.js';
import { InboundMetrics } from '../../../src/http/inbound.metrics.js';
import { deafClients } from '../../support/clients/deaf-clients.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer } from '../../support/server.js';

describe('bytes that an owner holds beyond its share', () => {
  it('keep no other owner waiting', () => {
    const budget = new ByteBudget(100);
    budget.add('a', 70);
    budget.add('a', 40);
    expect([budget.used, budget.usedBy('a')]).toEqual([50, 110]);
    expect(budget.take('b', 50)).toBe(true);
    budget.give('a', 50);
    expect(budget.used).toBe(100);
    budget.give('a', 20);
    expect([budget.used, budget.usedBy('a'), budget.take('a', 1)]).toEqual([90, 40, true]);
  });

  it('end the answer with which they are more than twice its share', () => {
    const budget = new ByteBudget(100);
    const terms = { budget, clock: new ManualClock(), metrics: new InboundMetrics(new Registry()) };
    const answers = Array.from({ length: 3 }, () => {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      const allowance = new Allowance(terms, 'a', response);
      allowance.settle(40);
      return response.destroyed;
    });
    expect(answers).toEqual([false, false, true]);
  });
});

it('answers that all clients share count for none of them', async () => {
  const server = await startServer({ environment: { STEPWELL_IN_FLIGHT: '32mb' } });
  const metrics = async () => {
    const headers = { connection: 'close' };
    return (await fetch(`${server.url}/metrics`, { headers })).text();
  };
  const numberIn = (text: string, name: RegExp) => Number(name.exec(text)?.[1] ?? 0);
  const sent = /^stepwell_http_requests_total\{.*"\/openapi\.json".*\} (\d+)$/m;
  const held = /^stepwell_in_flight_bytes (\d+)$/m;
  const asked = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
  // More than the system keeps of answers that are not taken.
  const clients = await deafClients(server.port, 4, () => asked.repeat(100));
  let text = '';
  for (let [ended, same] = [0, 0]; same < 25; await pause(20)) {
    const before = ended;
    text = await metrics();
    ended = numberIn(text, sent);
    same = ended > 0 && ended === before ? same + 1 : 0;
  }
  expect(numberIn(text, sent)).toBeLessThan(400);
  expect(numberIn(text, held)).toBe(0);
  for (const client of clients) client.destroy();
  await server.remove();
});
