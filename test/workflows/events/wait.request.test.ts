import { dialects } from '../../../src/http/dialect.js';
import { parseWait } from '../../../src/workflows/events/wait.request.js';

const step = { stepId: 3, stepName: 'wait', stepType: 'Wait', concurrent: 2 };
const named = ['Authorization', 'Bearer x', 'Svc-Workflow-RunId', 'wfr_1'];

const parse = (body: unknown, headers: readonly string[] = named) =>
  parseWait(headers, Buffer.from(JSON.stringify(body)), dialects.svc);

describe('a wait', () => {
  it('has the step that the endpoint describes', () => {
    const body = {
      url: 'https://example.com/workflow',
      timeout: '1h30m',
      timeoutUrl: 'https://example.com/workflow',
      timeoutHeaders: { 'content-type': ['application/json'] },
      step,
    };
    expect(parse(body)).toEqual({
      ok: true,
      value: {
        runId: 'wfr_1',
        step: { id: 3, name: 'wait', type: 'Wait', concurrent: 2, target: null },
        timeout: '1h30m',
        timeoutMs: 5_400_000,
      },
    });
  });

  it.each<[unknown, number]>([
    ['7d', 604_800_000],
    ['20s', 20_000],
    ['2w', 1_209_600_000],
    ['1mo', 2_592_000_000],
    ['1y', 31_536_000_000],
    ['0.5s', 500],
    ['0s', 0],
    [0, 0],
    [90, 90_000],
    [2.5, 2500],
    [null, 604_800_000],
    [undefined, 604_800_000],
  ])('lasts %p for %p ms', (timeout, timeoutMs) => {
    expect(parse({ step, timeout })).toMatchObject({ ok: true, value: { timeoutMs } });
  });

  it.each(['soon', '', '-1s', '1 h', '1h 30m', -1, 1e300, '9'.repeat(65), true, [], {}])(
    'cannot last %p',
    (timeout) => {
      expect(parse({ step, timeout })).toMatchObject({
        ok: false,
        message: expect.stringMatching(/timeout/),
      });
    },
  );

  it.each([
    ['an option of the request', named],
    ['an option in the other dialect', ['Upstash-Workflow-Runid', 'wfr_1']],
  ])('belongs to the run named by %s', (_what, headers) => {
    const timeoutHeaders = { 'Svc-Workflow-RunId': ['wfr_2'] };
    expect(parse({ step, timeoutHeaders }, headers)).toMatchObject({ value: { runId: 'wfr_1' } });
  });

  it.each([
    ['a list', { 'Svc-Workflow-RunId': ['wfr_1'] }],
    ['a text', { 'Svc-Workflow-Runid': 'wfr_1' }],
    [
      'both spellings',
      { 'Upstash-Workflow-RunId': ['wfr_1'], 'Upstash-Workflow-Runid': ['wfr_1'] },
    ],
  ])('belongs to the run named by its timeout headers in %s', (_what, timeoutHeaders) => {
    expect(parse({ step, timeoutHeaders }, [])).toMatchObject({ value: { runId: 'wfr_1' } });
  });

  it.each([
    ['no run', { step }, []],
    ['an empty run', { step }, ['Svc-Workflow-RunId', '']],
    ['no step', {}, named],
    ['a step that is a text', { step: 'wait' }, named],
    ['the plan of a step', { step: { ...step, stepId: 0 } }, named],
    ['half a step', { step: { ...step, stepId: 1.5 } }, named],
    ['a step without a name', { step: { ...step, stepName: null } }, named],
    ['a step whose name is empty', { step: { ...step, stepName: '' } }, named],
    ['a step with a long name', { step: { ...step, stepName: 'x'.repeat(1025) } }, named],
    ['a step with a long type', { step: { ...step, stepType: 'x'.repeat(1025) } }, named],
    ['a step without a type', { step: { ...step, stepType: '' } }, named],
    ['half a character in its name', { step: { ...step, stepName: '\ud83d' } }, named],
    ['half a character in its type', { step: { ...step, stepType: '\ud83d' } }, named],
    ['no parallel steps at all', { step: { ...step, concurrent: 0 } }, named],
    ['headers that are none', { step, timeoutHeaders: [] }, named],
  ])('is refused with %s', (_what, body, headers) => {
    expect(parse(body, headers)).toMatchObject({ ok: false, message: expect.stringMatching(/./) });
  });

  it('is refused if it is not JSON', () => {
    for (const body of ['', 'wait', '{"step":']) {
      expect(parseWait(named, Buffer.from(body), dialects.svc).ok).toBe(false);
    }
  });

  it('treats fields that some clients send as null as absent', () => {
    const body = { step: { ...step, concurrent: null, targetStep: null }, timeoutHeaders: null };
    expect(parse({ ...body, timeout: null, url: null })).toMatchObject({
      value: { step: { concurrent: 1 } },
    });
  });
});
