import { SeededNames } from '../../../src/engine/identifiers.js';
import type { Outcome } from '../../../src/engine/turn.js';
import { Refusal } from '../../../src/grammar/result.js';
import type { PublishMessage } from '../../../src/messaging/messages/message.commands.js';
import type { MessagePublished } from '../../../src/messaging/messages/message.events.js';
import { scheduleDefinition } from '../../../src/messaging/publishing/message-template.js';
import {
  BatchSubmission,
  GroupSubmission,
  MessageSubmission,
  RefusedSubmission,
  ScheduleSubmission,
  type Submission,
  SubmissionOutcomes,
  WarnedSubmission,
} from '../../../src/messaging/publishing/submissions.js';
import { warningHeader } from '../../../src/messaging/publishing/unknown-options.js';
import { messageOptions } from '../../support/message-options.js';

const at = 1_767_000_000_000;
const body = Buffer.from('body');
const options: MessagePublished = {
  type: 'MessagePublished',
  ...messageOptions({ notBefore: at + 1000, headers: ['X-A', 'own'], bodyBytes: 4 }),
};
const url = 'https://example.com/hook';

const published = (messageId: string, deduplicated = false): Outcome => ({
  ok: true,
  value: { messageId, deduplicated },
});
const rejected = (code: 'invalid' | 'over_limit' | 'not_found'): Outcome =>
  new Refusal(code, `it is ${code}`);
const group = {
  endpoints: [
    { url: 'https://one.example.com/', name: 'one' },
    { url: 'https://two.example.com/', name: null },
  ],
  headers: ['x-a', 'default', 'X-B', 'default'],
};
/** The answer of a submission when these are the outcomes of its commands. */
const answerOf = (submission: Submission, outcomes: readonly Outcome[]) =>
  submission.answer(new SubmissionOutcomes(submission.commands, outcomes));
const groupSubmission = (repeated = '') =>
  new GroupSubmission(
    new SeededNames(() => 'S'),
    at,
    { ...options, topicName: 'submissions' },
    body,
    group,
    (endpoint) => endpoint === repeated,
  );

describe('a submission of one message', () => {
  const submission = new MessageSubmission('msg_1', at, options, body);

  it('is one publish with its body', () => {
    expect(submission.commands).toEqual([
      {
        type: 'PublishMessage',
        kind: 'message',
        id: 'msg_1',
        at,
        begins: true,
        message: options,
        body,
        sharesBodyWith: null,
      },
    ]);
  });

  it('is answered with its id and URL, and a duplicate with 202', () => {
    const messageId = 'msg_1';
    expect(answerOf(submission, [published(messageId)])).toEqual({
      status: 200,
      body: { messageId, url },
    });
    expect(answerOf(submission, [published('msg_0', true)])).toEqual({
      status: 202,
      body: { messageId: 'msg_0', url, deduplicated: true },
    });
    expect(answerOf(submission, [rejected('over_limit')])).toMatchObject({ code: 'over_limit' });
  });
});

describe('a submission to a URL group', () => {
  it('is one publish per endpoint, with the body once and default headers', () => {
    const messages = groupSubmission().commands;
    expect(messages.map(({ id, sharesBodyWith }) => [id, sharesBodyWith])).toEqual([
      ['msg_S1', null],
      ['msg_S2', 'msg_S1'],
    ]);
    expect(messages.map(({ message }) => message)).toEqual(
      group.endpoints.map((endpoint) => ({
        ...options,
        url: endpoint.url,
        topicName: 'submissions',
        endpointName: endpoint.name,
        headers: ['X-B', 'default', 'X-A', 'own'],
      })),
    );
  });

  it('stores its body with the first message that is no duplicate', () => {
    const { commands } = groupSubmission('https://one.example.com/');
    expect(commands.map(({ sharesBodyWith }) => sharesBodyWith)).toEqual([null, null]);
  });

  it('is answered as a list, one by one', () => {
    expect(answerOf(groupSubmission(), [published('msg_0', true), rejected('invalid')])).toEqual({
      status: 200,
      body: [
        { messageId: 'msg_0', url: 'https://one.example.com/', deduplicated: true },
        { error: 'it is invalid' },
      ],
    });
  });
});

describe('a submission of a schedule', () => {
  const effect = { cron: '* * * * *', id: null };

  it('keeps the parts of the message that do not depend on time and place', () => {
    const definition = scheduleDefinition(effect, at, options);
    expect(definition).toMatchObject({ cron: '* * * * *', url, topicName: null });
    expect(definition.message).toMatchObject({ delayMs: 1000, headers: ['X-A', 'own'] });
    for (const field of ['type', 'url', 'notBefore', 'topicName', 'endpointName', 'scheduleId']) {
      expect(definition.message).not.toHaveProperty(field);
    }
  });

  it('to a group has the name and no URL', () => {
    const addressed = { ...options, topicName: 'submissions' };
    expect(scheduleDefinition(effect, at, addressed)).toMatchObject({
      url: null,
      topicName: 'submissions',
    });
  });

  it('is answered with its id, or with the reason for a refusal', () => {
    const submission = new ScheduleSubmission(
      'scd_1',
      at,
      scheduleDefinition(effect, at, options),
      body,
    );
    expect(answerOf(submission, [{ ok: true, value: null }])).toEqual({
      status: 200,
      body: { scheduleId: 'scd_1' },
    });
    expect(answerOf(submission, [rejected('invalid')])).toEqual(
      new Refusal('invalid', 'it is invalid'),
    );
  });
});

describe('a submission of a batch', () => {
  it('passes each item its own outcomes, in its place', () => {
    const one = new MessageSubmission('msg_1', at, options, body);
    const nothing = new RefusedSubmission(new Refusal('not_found', 'no such group'));
    const last = new MessageSubmission('msg_2', at, options, body);
    const submissions: Submission[] = [one, nothing, groupSubmission(), last];
    const batch = new BatchSubmission(submissions);
    const ids = batch.commands.map((command) => (command as PublishMessage).id);
    expect(ids).toEqual(['msg_1', 'msg_S1', 'msg_S2', 'msg_2']);
    const outcomes = [...'abc'].map((id) => published(id));
    expect(answerOf(batch, [...outcomes, rejected('not_found')])).toEqual({
      status: 200,
      body: [
        { messageId: 'a', url },
        { error: 'item 1: no such group' },
        [
          { messageId: 'b', url: 'https://one.example.com/' },
          { messageId: 'c', url: 'https://two.example.com/' },
        ],
        { error: 'item 3: it is not_found' },
      ],
    });
  });

  it('looks for what was meant only for the unknown options that it names', () => {
    const asked: number[] = [];
    const submissions = Array.from({ length: 1000 }, (_, item) => {
      const warning = {
        get warning() {
          asked.push(item);
          return `unknown option ${item}`;
        },
      };
      const message = new MessageSubmission(`msg_${item}`, at, options, body);
      return new WarnedSubmission(message, [warning]);
    });
    const { warnings } = new BatchSubmission(submissions);
    const first = [0, 1, 2, 3, 4, 5, 6, 7];
    const said = first.map((item) => `item ${item}: unknown option ${item}`);
    expect(warningHeader(warnings)).toBe(`${said.join(', ')}, and 992 more`);
    expect(asked).toEqual(first);
  });
});
