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
  const request = new SocketRequest(
    new Socket(),
    'POST',
    '/a',
    { headers: {}, rawHeaders: [] },
    0,
    0,
  );
  const answer = new SocketAnswer(request, 0, () => undefined);
  // Nothing is written if the client has gone.
  answer.close(false);
  const caller = new Caller(null, '127.0.0.1', 'id', null);
  const tabled = { route: { pattern: '/a' }, isMessaging: true } as TabledExpressRoute;
  const metrics = new InboundMetrics(new Registry());
  const context = { clock: systemClock, metrics } as ConstructorParameters<
    typeof SocketExchange
  >[4];
  return new SocketExchange(answer, Buffer.alloc(0), caller, tabled, context);
}

test('a second answer throws, as it would be taken for the answer of the next request', () => {
  const answered = exchange();
  answered.answer(200, []);
  expect(() => answered.answer(500, [])).toThrow('the request has its answer already');
});

test('a header value with a line break throws and adds no second header', () => {
  const value = 'a\r\nx-other: b';
  expect(() => exchange().answer(200, ['x-own', value])).toThrow('x-own has a value');
});
