import { Socket } from 'node:net';
import { Registry } from 'prom-client';
import { systemClock } from '../../../../src/engine/clock.js';
import { Caller } from '../../../../src/engine/principal/principal.js';
import { InboundMetrics } from '../../../../src/http/inbound.metrics.js';
import type { TabledExpressRoute } from '../../../../src/http/routes/route-table.js';
import {
  SocketAnswer,
  SocketExchange,
} from '../../../../src/server/inbound/sockets/socket-exchange.js';
import { SocketRequest } from '../../../../src/server/inbound/sockets/socket-request.js';

function exchange(): SocketExchange {
  const request = new SocketRequest(new Socket(), 'POST', '/a', {}, [], 0, 0);
  const answer = new SocketAnswer(request);
  // Nothing is written where the client has gone.
  answer.close(false);
  const caller = new Caller(null, '127.0.0.1', 'id', null);
  const tabled = { route: { pattern: '/a' }, isMessaging: true } as TabledExpressRoute;
  const metrics = new InboundMetrics(new Registry());
  const context = { clock: systemClock, metrics } as ConstructorParameters<
    typeof SocketExchange
  >[4];
  return new SocketExchange(answer, Buffer.alloc(0), caller, tabled, context, () => undefined);
}

test('a request is answered once: a second answer would be that of the next one', () => {
  const answered = exchange();
  answered.answer(200, []);
  expect(() => answered.answer(500, [])).toThrow('the request has its answer already');
});

test('no header of an answer becomes two', () => {
  const value = 'a\r\nx-other: b';
  expect(() => exchange().answer(200, ['x-own', value])).toThrow('x-own has a value');
});
