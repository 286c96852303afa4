import { ok } from '../../../src/grammar/result.js';
import { OptionReader } from '../../../src/messaging/publishing/option-reader.js';
import { callStep } from '../../../src/workflows/requests/call.request.js';

const rules = {
  retries: 5,
  retriesMax: 1000,
  delayMaxMs: 31_536_000_000,
  timeoutMs: 900_000,
  judgeUrl: (text: string) => ok(text),
};
const headers = {
  'Upstash-Workflow-StepId': '3',
  'Upstash-Workflow-StepName': 'third',
  'Upstash-Workflow-StepType': 'Call',
  'Upstash-Workflow-Concurrent': '2',
  'Upstash-Workflow-ContentType': 'application/json',
};

/** The step in an answer, or why there is none. */
function read(changes: Readonly<Record<string, string | undefined>> = {}) {
  const reader = new OptionReader({ prefix: 'Svc-', options: new Map(), forwarded: [] }, rules);
  const all = Object.entries({ ...headers, ...changes });
  const given = all.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return { step: callStep(given, reader, 'Svc-'), refusal: reader.refusal };
}

describe('the answer of a call', () => {
  it('contains the step of the call, in any dialect', () => {
    const step = { id: 3, name: 'third', type: 'Call', concurrent: 2, target: null };
    expect(read()).toEqual({ step, refusal: null });
  });

  it.each(Object.keys(headers))('contains no step without %s', (name) => {
    const { step, refusal } = read({ [name]: undefined });
    expect(step).toBeNull();
    expect(refusal).toMatchObject({ code: 'invalid', message: expect.stringMatching('missing') });
  });

  it('is refused with the name of the missing header', () => {
    const missing = read({ 'Upstash-Workflow-StepId': undefined }).refusal;
    expect(missing?.message).toBe('Svc-Callback-Forward-Svc-Workflow-Stepid is missing');
  });

  it.each([
    ['Upstash-Workflow-StepId', '0'],
    ['Upstash-Workflow-StepId', '1.5'],
    ['Upstash-Workflow-StepId', '-1'],
    ['Upstash-Workflow-StepId', '1'.repeat(10)],
    ['Upstash-Workflow-Concurrent', '0'],
    ['Upstash-Workflow-Concurrent', 'two'],
    ['Upstash-Workflow-StepName', ''],
  ])('contains no step if %s is %j', (name, value) => {
    const { step, refusal } = read({ [name]: value });
    expect(step).toBeNull();
    expect(refusal?.message).toContain(JSON.stringify(value));
  });

  it('contains no step whose name is too long; the refusal quotes the start of the name', () => {
    const { step, refusal } = read({ 'Upstash-Workflow-StepName': 'x'.repeat(1025) });
    expect(step).toBeNull();
    expect(refusal?.message).toContain(JSON.stringify(`${'x'.repeat(64)}...`));
    expect(read({ 'Upstash-Workflow-StepName': 'x'.repeat(1024) }).refusal).toBeNull();
  });
});
