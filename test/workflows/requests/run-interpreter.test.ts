import { Refusal, type RefusalCode } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import { WholeRefusal } from '../../../src/messaging/publishing/submissions.js';
import { runRefusal } from '../../../src/workflows/requests/run-interpreter.js';

const refusal = (code: RefusalCode, headers: Readonly<Record<string, string>>) => {
  const said = readMessageOptions(Object.entries(headers).flat(), dialects.svc);
  return runRefusal(new Refusal(code, 'no'), said);
};

describe('a refusal of a request for a run', () => {
  it.each([
    ['invalid', 'unprocessable'],
    ['too_large', 'over_limit'],
    ['over_limit', 'over_limit'],
    ['disk_full', 'disk_full'],
  ] as const)(
    'that is %s is %s to an endpoint that takes 400 for the end of its run',
    (code, answered) => {
      for (const headers of [
        { 'svc-workflow-runid': 'wfr_1' },
        { 'svc-workflow-init': 'false' },
        { 'svc-workflow-init': 'maybe' },
        { 'svc-workflow-init': ' True ', 'svc-workflow-invoke': 'true' },
      ]) {
        expect(refusal(code, headers)).toEqual(new WholeRefusal(answered, 'no'));
      }
    },
  );

  it('goes unchanged to a client that starts a run, and applies to the whole request', () => {
    const starting = refusal('invalid', { 'svc-workflow-init': 'TRUE' });
    expect(starting).toEqual(new WholeRefusal('invalid', 'no'));
  });
});
