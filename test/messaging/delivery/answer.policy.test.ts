import { answerDefect } from '../../../src/messaging/delivery/answer.policy.js';
import { runPlace } from '../../support/workflows/run-place.js';

const prefixes = ['svc-', 'upstash-'];
const defect = (place: Parameters<typeof runPlace>[0], ...headers: string[]) =>
  answerDefect(runPlace(place), headers, prefixes);

const protocol = ['Svc-Workflow-Sdk-Version', '1'];
const notAWorkflow =
  'detected a non-workflow destination for trigger/invoke. ' +
  'make sure you are sending the request to the correct endpoint';
const tooOld = 'trigger rest api is only usable with sdk versions after v1.0.0 major version';

describe('a 2xx answer to a step', () => {
  it('always counts if the step requests no check', () => {
    expect(defect({ answerCheck: 'none' })).toBeNull();
    expect(answerDefect(null, [], prefixes)).toBeNull();
  });

  it('must speak the protocol, in any dialect and case', () => {
    expect(defect({ answerCheck: 'protocol' })).toBe(notAWorkflow);
    expect(defect({ answerCheck: 'protocol' }, 'Content-Type', 'text/html')).toBe(notAWorkflow);
    expect(defect({ answerCheck: 'protocol' }, ...protocol)).toBeNull();
    expect(defect({ answerCheck: 'protocol' }, 'uPsTaSh-workflow-SDK-version', '1')).toBeNull();
  });

  it.each(['v1.3.2', '@upstash/workflow@v1.3.2', '1.0.0', 'v10.0.0'])(
    'counts if the step requires a current SDK and it names %s',
    (version) => {
      const headers = [...protocol, 'Svc-Workflow-Sdk', version];
      expect(defect({ answerCheck: 'sdk' }, ...headers)).toBeNull();
    },
  );

  it.each(['v0.2.21', '@upstash/workflow@v0.9.0', 'new', ''])(
    'does not count if the step requires a current SDK and it names %j',
    (version) => {
      const headers = [...protocol, 'Svc-Workflow-Sdk', version];
      expect(defect({ answerCheck: 'sdk' }, ...headers)).toBe(tooOld);
      expect(defect({ answerCheck: 'protocol' }, ...headers)).toBeNull();
    },
  );

  it('is distinct from an answer of an endpoint that serves no workflows', () => {
    expect(defect({ answerCheck: 'sdk' }, 'Svc-Workflow-Sdk', 'v1.0.0')).toBe(notAWorkflow);
    expect(defect({ answerCheck: 'sdk' }, ...protocol)).toBe(tooOld);
  });
});

describe('a 2xx answer to any other message of a run', () => {
  it.each(['call', 'callResult', 'failureCallback'] as const)('always counts: %s', (role) => {
    expect(defect({ role, answerCheck: 'sdk' })).toBeNull();
  });
});
