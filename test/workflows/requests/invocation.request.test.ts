import fc from 'fast-check';
import { parseInvokeEnvelope } from '../../../src/workflows/requests/invocation.request.js';

const envelope = {
  body: '{"q":1}',
  headers: { 'Svc-Workflow-Runid': ['wfr_1'] },
  workflowRunId: 'wfr_1',
  workflowRunCreatedAt: 1_767_000_000_000,
  workflowUrl: 'https://app.example/wf',
  step: { stepId: 1, stepName: 'inv', stepType: 'Invoke', concurrent: 2 },
};
const read = (value: unknown) => parseInvokeEnvelope(Buffer.from(JSON.stringify(value)));

describe('an invocation', () => {
  it('names the waiting run and its step, and contains the payload of the child', () => {
    expect(read(envelope)).toEqual({
      ok: true,
      value: {
        parentId: 'wfr_1',
        step: { id: 1, name: 'inv', type: 'Invoke', concurrent: 2, target: null },
        payload: Buffer.from('{"q":1}'),
      },
    });
  });

  it('may have no payload, and needs nothing that the parent run already holds', () => {
    const { workflowRunId, step } = envelope;
    for (const body of [undefined, null, '']) {
      expect(read({ workflowRunId, step, body })).toMatchObject({
        value: { payload: Buffer.alloc(0) },
      });
    }
  });

  it('runs alone if it has no `concurrent`', () => {
    for (const concurrent of [undefined, null]) {
      expect(read({ ...envelope, step: { ...envelope.step, concurrent } })).toMatchObject({
        value: { step: { concurrent: 1 } },
      });
    }
  });

  it.each([
    [[], 'an invocation must be a JSON object'],
    [{ ...envelope, body: 7 }, 'body of the invocation must be a string'],
    [{ ...envelope, workflowRunId: 7 }, 'workflowRunId of the invocation is missing'],
    [{ ...envelope, workflowRunId: 'a\nb' }, 'workflowRunId of the invocation must have'],
    [{ ...envelope, step: undefined }, 'the step of the invocation: a step must be'],
    [
      { ...envelope, step: { ...envelope.step, stepId: 0, targetStep: 1 } },
      'the step of the invocation must not be a plan',
    ],
  ])('is refused as %j', (value, reason) => {
    const result = read(value);
    expect(result.ok ? '' : result.message).toContain(reason);
  });

  it('is refused with a reason for any other value', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => !parseInvokeEnvelope(Buffer.from(bytes)).ok));
    fc.assert(fc.property(fc.jsonValue(), (step) => void read({ ...envelope, step })));
  });
});
