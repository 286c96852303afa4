import fc from 'fast-check';
import {
  type DeliveryWords,
  deliveryHeaders,
} from '../../../src/messaging/outbound/request-head.js';

const words: DeliveryWords = {
  messagePrefix: 'Svc-',
  userAgent: 'Stepwell/1',
  messageId: 'msg_1',
  retried: 2,
  signature: 'a.b.c',
  callerIp: '192.0.2.7',
  scheduleId: null,
  topicName: null,
  run: null,
  contentType: 'text/plain',
  forwarded: [],
  spanId: () => 'aaaaaaaaaaaaaaaa',
};

function pairsOf(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, index) =>
    index % 2 === 0 ? [[name, flat[index + 1]!] as [string, string]] : [],
  );
}

function valuesOf(headers: readonly string[], wanted: string): string[] {
  return pairsOf(headers)
    .filter(([name]) => name.toLowerCase() === wanted.toLowerCase())
    .map(([, value]) => value);
}

describe('the headers of a delivery', () => {
  it('name the message, its sender and the attempt', () => {
    expect(Object.fromEntries(pairsOf(deliveryHeaders(words)))).toEqual({
      'Svc-Message-Id': 'msg_1',
      'Svc-Retried': '2',
      'Svc-Signature': 'a.b.c',
      'Svc-Caller-Ip': '192.0.2.7',
      'Accept-Encoding': 'identity',
      'Content-Type': 'text/plain',
      'User-Agent': 'Stepwell/1',
    });
  });

  it('name the schedule and the URL group if there is one', () => {
    const headers = deliveryHeaders({ ...words, scheduleId: 'scd_1', topicName: 'orders' });
    expect(valuesOf(headers, 'Svc-Schedule-Id')).toEqual(['scd_1']);
    expect(valuesOf(headers, 'Svc-Topic-Name')).toEqual(['orders']);
  });

  it('are in the dialect of the message', () => {
    const headers = deliveryHeaders({ ...words, messagePrefix: 'Upstash-' });
    expect(valuesOf(headers, 'Upstash-Message-Id')).toEqual(['msg_1']);
    expect(valuesOf(headers, 'Svc-Message-Id')).toEqual([]);
  });

  it('forward the headers of the publisher in order, case and number', () => {
    const forwarded = ['X-One', '1', 'x-two', '2', 'X-One', '3', 'Svc-Workflow-Sdk-Version', '1'];
    expect(deliveryHeaders({ ...words, forwarded })).toEqual(expect.arrayContaining(forwarded));
    expect(valuesOf(deliveryHeaders({ ...words, forwarded }), 'x-one')).toEqual(['1', '3']);
  });

  it('keep a forwarded User-Agent and, if none was given, Content-Type', () => {
    const forwarded = ['user-agent', 'me', 'content-type', 'application/json'];
    const headers = deliveryHeaders({ ...words, contentType: null, forwarded });
    expect(valuesOf(headers, 'User-Agent')).toEqual(['me']);
    expect(valuesOf(headers, 'Content-Type')).toEqual(['application/json']);
    expect(valuesOf(deliveryHeaders({ ...words, forwarded }), 'Content-Type')).toEqual([
      'text/plain',
    ]);
  });

  it('continue a forwarded trace with the span of the attempt', () => {
    const [before, after] = ['00f067aa0ba902b7', words.spanId()].map(
      (span) => `00-4bf92f3577b34da6a3ce929d0e0e4736-${span}-01`,
    );
    const forwarded = ['Traceparent', before!, 'tracestate', 'a=1'];
    const headers = deliveryHeaders({ ...words, forwarded });
    expect(headers).toEqual(expect.arrayContaining(['Traceparent', after, 'tracestate', 'a=1']));
    expect(headers).not.toContain(before);
  });

  it('never let a forwarded header speak for the server or for a hop', () => {
    const names = [
      'svc-message-id',
      'SVC-SIGNATURE',
      'Svc-Retried',
      'svc-caller-ip',
      'Host',
      'content-LENGTH',
      'Connection',
      'Transfer-Encoding',
      'TE',
      'Trailer',
      'Upgrade',
      'Keep-Alive',
      'Expect',
      'Proxy-Authorization',
      'Proxy-Connection',
      'Accept-Encoding',
      'X-Internal',
    ];
    const forged = names.flatMap((name) => [
      name,
      name === 'Connection' ? 'close, X-Internal' : 'forged',
    ]);
    const headers = deliveryHeaders({ ...words, forwarded: forged });
    expect(headers).toEqual(deliveryHeaders(words));
  });

  it('contain each name of the server once, whatever is forwarded', () => {
    const own = ['Svc-Message-Id', 'Svc-Signature', 'Svc-Retried', 'Content-Type', 'Host'];
    const anyCase = fc
      .tuple(fc.constantFrom(...own), fc.boolean())
      .map(([name, isUpper]) => (isUpper ? name.toUpperCase() : name.toLowerCase()));
    fc.assert(
      fc.property(fc.array(fc.tuple(anyCase, fc.string())), (pairs) => {
        const headers = deliveryHeaders({ ...words, forwarded: pairs.flat() });
        expect(headers).toEqual(deliveryHeaders(words));
      }),
    );
  });
});
