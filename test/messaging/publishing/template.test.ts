import { ok, Refusal } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import { parseTemplate } from '../../../src/messaging/publishing/publish.request.js';
import { requestContext } from '../../support/request-context.js';

const read = (headers: Readonly<Record<string, string>>) => {
  const rawHeaders = Object.entries(headers).flat();
  const destination = 'https://example.com/hook';
  const publish = {
    destination,
    rawHeaders,
    contentType: null,
    body: Buffer.alloc(0),
    trace: [],
    queueName: null,
    mustRepeat: false,
    context: requestContext(),
  };
  const target = { kind: 'url', text: destination, options: [] } as const;
  const said = readMessageOptions(rawHeaders, dialects.svc);
  const judgeUrl = ok<string>;
  const limits = { retries: 3, retriesMax: 10, delayMaxMs: 1000, timeoutMs: 900_000 };
  return parseTemplate(publish, target, said, { ...limits, judgeUrl });
};

describe('a message that the server publishes later', () => {
  it('can have the options of any message', () => {
    const options = { 'Svc-Retries': '7', 'Upstash-Label': 'blue', 'Svc-Forward-X-A': '1' };
    expect(read(options)).toMatchObject({
      ok: true,
      message: { maxRetries: 7, labels: ['blue'], headers: ['X-A', '1'] },
    });
  });

  it.each([
    ['Svc-Cron', '* * * * *'],
    ['Svc-Schedule-Id', 'nightly'],
    ['Svc-Not-Before', '1767000000'],
    ['Svc-Deduplication-Id', 'once'],
    ['Svc-Content-Based-Deduplication', 'true'],
  ])('cannot have %s, which belongs to a single publish', (name, value) => {
    const message = `${name} means nothing here`;
    expect(read({ [name]: value })).toEqual(new Refusal('invalid', message));
  });

  it.each([
    [{ 'Svc-Retries': '11' }, 'over_limit'],
    [{ 'Svc-Method': 'SHOUT' }, 'invalid'],
    [{ 'Svc-Workflow-Init': 'true' }, 'invalid'],
  ])('is refused with %j like any message', (options, code) => {
    expect(read(options as Record<string, string>)).toMatchObject({ ok: false, code });
  });
});
