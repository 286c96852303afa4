import { type WebhookCall, webhookEvent } from '../../../src/workflows/events/webhook-event.js';

const call: WebhookCall = {
  method: 'POST',
  target: '/v2/workflows/hooks/user/wfr_1/evt_1?x=%20&y',
  host: 'stepwell.local:8080',
  headers: ['host', 'stepwell.local:8080', 'x-one', '1', 'X-ONE', '2', '__proto__', 'x'],
};

const eventOf = (publicUrl: string | null, changes: Partial<WebhookCall> = {}) =>
  JSON.parse(
    webhookEvent({ ...call, ...changes }, Buffer.from([0xff, 0]), publicUrl).toString(),
  ) as Record<string, unknown>;

describe('the event of a call', () => {
  it('describes the request', () => {
    const header = Object.fromEntries([
      ['Host', ['stepwell.local:8080']],
      ['X-One', ['1', '2']],
    ]);
    const { header: shown, ...rest } = eventOf(null);
    expect(shown).toMatchObject(header);
    expect(Object.keys(shown as object)).toEqual(['Host', 'X-One', '__proto__']);
    expect(rest).toEqual({
      method: 'POST',
      body: '/wA=',
      proto: 'http',
      host: 'stepwell.local:8080',
      url: call.target,
    });
  });

  it.each([
    ['https://example.com', 'https', 'example.com', call.target],
    ['http://example.com:8080', 'http', 'example.com:8080', call.target],
    ['https://example.com/stepwell', 'https', 'example.com', `/stepwell${call.target}`],
  ])('with public URL %s contains the URL called from outside', (publicUrl, proto, host, url) => {
    expect(eventOf(publicUrl)).toMatchObject({ proto, host, url });
  });

  it('names no host if the caller named none', () => {
    expect(eventOf(null, { host: undefined })).toMatchObject({ host: '' });
  });
});
