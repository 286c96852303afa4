import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import { runRefusal } from '../../../src/workflows/requests/run-interpreter.js';

const refusal = (status: number, headers: Readonly<Record<string, string>>) => {
  const said = readMessageOptions(Object.entries(headers).flat(), dialects.svc);
  return runRefusal({ status, message: 'no' }, said);
};

describe('a refusal of a request for a run', () => {
  it.each([
    [400, 422],
    [413, 412],
    [412, 412],
    [507, 507],
  ])(
    'is %i told as %i to an endpoint that takes 400 for the end of its run',
    (status, answered) => {
      for (const headers of [
        { 'svc-workflow-runid': 'wfr_1' },
        { 'svc-workflow-init': 'false' },
        { 'svc-workflow-init': 'maybe' },
        { 'svc-workflow-init': ' True ', 'svc-workflow-invoke': 'true' },
      ]) {
        const whole = { status: answered, message: 'no', isWhole: true };
        expect(refusal(status, headers)).toEqual(whole);
      }
    },
  );

  it('is told unchanged to a client that starts a run, and is that of the whole request', () => {
    expect(refusal(400, { 'svc-workflow-init': 'TRUE' })).toEqual({
      status: 400,
      message: 'no',
      isWhole: true,
    });
  });
});
