import type { RunLogRow, StepInfoObject } from '../../../src/workflows/logs/run-log-row.js';
import { publicRow } from '../../../src/workflows/run-streams/public-row.js';

const secret = 'a secret';

const step: StepInfoObject = {
  stepName: 'one',
  stepType: 'Run',
  callType: 'step',
  messageId: 'msg_1',
  concurrent: 1,
  createdAt: 1,
  out: '{"n":1}',
};

const row: RunLogRow = {
  time: 1,
  state: 'STEP_SUCCESS',
  workflowRunId: 'wfr_1',
  workflowUrl: 'https://app.example.com/order?bypass=a%20secret#x',
  workflowCreatedAt: 1,
  headers: { 'X-Key': [secret] },
  responseHeaders: { 'Set-Cookie': [secret] },
  invokerWorkflowRunUrl: 'https://user:a%20secret@app.example.com/parent?key=a%20secret',
  label: secret,
  labels: [secret],
  callerIp: '203.0.113.7',
  stepInfo: step,
};

describe('a row that a public token sees', () => {
  it('has no headers, labels, addresses, and no queries of URLs', () => {
    const shown = publicRow(row);
    expect(shown).toEqual({
      time: 1,
      state: 'STEP_SUCCESS',
      workflowRunId: 'wfr_1',
      workflowUrl: 'https://app.example.com/order',
      workflowCreatedAt: 1,
      invokerWorkflowRunUrl: 'https://app.example.com/parent',
      callerIp: '',
      stepInfo: step,
    });
  });

  it('has the answer of a call without its headers, and not what was sent', () => {
    const call: StepInfoObject = {
      ...step,
      stepType: 'Call',
      out: JSON.stringify({ status: 200, header: { 'Set-Cookie': [secret] }, body: 'ok' }),
      callUrl: 'https://third.example.com/pay?key=a%20secret',
      callHeaders: { Authorization: [secret] },
      callBody: secret,
      callResponseStatus: 200,
      callResponseHeaders: { 'Set-Cookie': [secret] },
      callResponseBody: 'ok',
    };
    const { stepInfo } = publicRow({ ...row, stepInfo: call });
    expect(stepInfo).toEqual({
      ...{ stepName: 'one', stepType: 'Call', callType: 'step', messageId: 'msg_1' },
      ...{ concurrent: 1, createdAt: 1, callUrl: 'https://third.example.com/pay' },
      ...{ callResponseStatus: 200, callResponseBody: 'ok' },
    });
  });

  it.each(['CreateWebhook', 'WaitForWebhook'])(
    'has neither the result of a %s step nor its event',
    (stepType) => {
      const webhook = { ...step, stepType, out: secret, waitEventId: secret };
      const { stepInfo } = publicRow({ ...row, stepInfo: webhook });
      expect(JSON.stringify(stepInfo)).not.toContain(secret);
    },
  );

  it('has the event of a wait that no third party can end', () => {
    const wait: StepInfoObject = { ...step, stepType: 'Wait', waitEventId: 'paid' };
    expect(publicRow({ ...row, stepInfo: wait }).stepInfo).toEqual(wait);
  });

  it('has no headers of an invocation, and the URL without its query', () => {
    const invocation: StepInfoObject = {
      ...step,
      stepType: 'Invoke',
      invokedWorkflowUrl: 'https://app.example.com/child?key=a%20secret',
      invokedWorkflowRunHeaders: { 'X-Key': [secret] },
    };
    expect(publicRow({ ...row, stepInfo: invocation }).stepInfo).toEqual({
      ...step,
      stepType: 'Invoke',
      invokedWorkflowUrl: 'https://app.example.com/child',
    });
  });
});
