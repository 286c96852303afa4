import fc from 'fast-check';
import { ok, Refusal } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import { AlikeRequests } from '../../../src/messaging/publishing/alike-requests.js';
import { parseBatchItem } from '../../../src/messaging/publishing/batch.request.js';
import type { PublishRules } from '../../../src/messaging/publishing/option-reader.js';
import type { RequestContext } from '../../../src/messaging/publishing/publish.request.js';
import type { Submission } from '../../../src/messaging/publishing/submissions.js';
import { readRun } from '../../../src/workflows/requests/run-interpreter.js';
import { epochMs } from '../../support/given.js';
import { requestContext } from '../../support/request-context.js';

const rules: PublishRules = {
  retries: 3,
  retriesMax: 1000,
  delayMaxMs: 31_536_000_000,
  timeoutMs: 900_000,
  judgeUrl: (text) => ok(text),
};
const bodyBytesMax = 200;
const url = 'https://app.example/wf';
const trace = ['traceparent', `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`];

/** The submission of an item that is read alone; undefined = it is refused, or is not for a run. */
function readAlone(item: unknown, context: RequestContext): Submission | undefined {
  const parsed = parseBatchItem(item, context);
  if (!parsed.ok || parsed.value.body.length > bodyBytesMax) return undefined;
  const { destination, rawHeaders } = parsed.value;
  const [text = '', query = ''] = destination.split('?');
  const options = query === '' ? [] : query.split('=');
  const said = readMessageOptions([...rawHeaders, ...options], dialects.svc);
  if (!said.options.has('workflow-runid')) return undefined;
  const read = readRun(parsed.value, { kind: 'url', text, options }, said, rules);
  return read instanceof Refusal ? undefined : read;
}

const base = { 'upstash-workflow-init': 'false', 'upstash-workflow-sdk-version': '1' };
const runId = fc.constantFrom(
  ...['wfr_1', ' wfr_2 ', 'wfr/3', '', '..', 'wfr?4', 'Grüße ☃', 'x'.repeat(513)],
);
const more = fc.constantFrom<Record<string, string>>(
  {},
  { 'upstash-delay': '1h' },
  { 'upstash-not-before': '1900000000' },
  { 'upstash-retries': '5', 'upstash-label': 'one' },
  { 'upstash-retries': 'many' },
  { 'upstash-forward-a': '1', 'content-type': 'text/plain' },
  { 'upstash-header-forward': 'true', other: 'header' },
  { 'upstash-failure-callback': 'https://app.example/failed' },
  { 'upstash-workflow-calltype': 'toCallback' },
  { 'upstash-content-based-deduplication': 'true' },
  { 'upstash-method': 'GET' },
  { 'upstash-feature-set': 'InitialBody', 'upstash-label': 'two' },
  { 'upstash-workflow-trigger-by-sdk': 'true' },
  { 'svc-workflow-runid': 'wfr_9' },
  { traceparent: trace[1] ?? '' },
);
const headers = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({ runId, more, isInit: fc.boolean() })
      .map(({ runId: id, more: others, isInit }) => ({
        ...{ ...base, 'upstash-workflow-init': String(isInit) },
        ...{ 'upstash-workflow-runid': id, ...others },
      })),
  },
  fc.constantFrom(null, {}, base, { ...base, 'upstash-workflow-runid': 1 }, 'text'),
);
const body = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ stepId: fc.nat({ max: 3 }), stepName: fc.constantFrom('one', 'two', '') })
      .map((step) => JSON.stringify({ ...step, stepType: 'Run', concurrent: 1, out: 'Grüße' })),
  },
  fc.constantFrom('', 'no JSON', '\ud800', null, 1, JSON.stringify('x'.repeat(200))),
);
const destination = fc.constantFrom(
  url,
  'https://app.example/other',
  `${url}?upstash-workflow-runid=wfr_8`,
);
const queue = fc.constantFrom(undefined, undefined, undefined, null, 'line', 1);
const item = fc.oneof(
  { weight: 9, arbitrary: fc.record({ destination, headers, body, queue }) },
  fc.constantFrom(null, 'text', [], {}, { destination: 1 }),
);
const asked = fc.record({ item, at: fc.nat({ max: 1_000_000 }) });

describe('requests for runs with the same headers', () => {
  it('submit what each of them would submit alone', () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 40 }), fc.nat({ max: 40 }), (all, tracedAt) => {
        const alike = new AlikeRequests(bodyBytesMax);
        for (const [index, { item: each, at }] of all.entries()) {
          const moment = { at: epochMs + at, ...(index === tracedAt && { trace }) };
          const alone = readAlone(each, requestContext(moment));
          const shared = alike.submissionOf(each, requestContext(moment));
          if (shared !== undefined) {
            expect(shared.commands).toEqual(alone?.commands);
            expect(shared.isWhole).toBe(alone?.isWhole);
          } else if (alone !== undefined) alike.add(each, alone, requestContext(moment));
        }
      }),
    );
  });

  it.each(['true', 'false'])('are not read again, whatever run they name (init: %s)', (init) => {
    const alike = new AlikeRequests(bodyBytesMax);
    const step = (run: string, stepId: number) => ({
      destination: url,
      headers: { ...base, 'upstash-workflow-init': init, 'upstash-workflow-runid': run },
      body: JSON.stringify({ stepId, stepName: 'one', stepType: 'Run', concurrent: 1 }),
    });
    const first = readAlone(step('wfr_1', 1), requestContext());
    if (first === undefined) throw new Error('a step was refused');
    alike.add(step('wfr_1', 1), first, requestContext());
    const next = alike.submissionOf(step('wfr_2', 2), requestContext());
    expect(next?.commands).toMatchObject([{ id: 'wfr_2', messageId: 'msg_0' }]);
    const traced = requestContext({ trace });
    expect(alike.submissionOf(step('wfr_2', 3), traced)).toBeUndefined();
    const elsewhere = { ...step('wfr_2', 3), destination: `${url}/other` };
    expect(alike.submissionOf(elsewhere, requestContext())).toBeUndefined();
  });
});
