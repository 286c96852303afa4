import { redacted } from '../../../src/messaging/messages/redaction.js';
import {
  callFields,
  payloadFields,
  submittedFields,
} from '../../../src/workflows/shown-steps/step-fields.js';
import { envelope } from '../../support/envelope.js';
import { messageOptions } from '../../support/message-options.js';

const openly = { bytesMax: null, redaction: null };
const hidden = { bytesMax: null, redaction: { body: true, headers: ['x-secret'] } };
const fieldsOf = (step: object, type = 'Run', showing: typeof openly | typeof hidden = openly) =>
  submittedFields(Buffer.from(JSON.stringify(step)), type, showing);

describe('a step that was submitted', () => {
  it('shows its result as text, whatever kind of JSON that is', () => {
    expect(fieldsOf({ stepId: 1, out: '"a"' })).toEqual({ out: '"a"' });
    expect(fieldsOf({ stepId: 1, out: { a: 1 } })).toEqual({ out: '{"a":1}' });
    const long = Buffer.from('{"stepId":1,"out":[9007199254740993]}');
    expect(submittedFields(long, 'Run', openly)).toEqual({ out: '[9007199254740993]' });
    expect(fieldsOf({ stepId: 1 })).toEqual({});
    expect(submittedFields(null, 'Run', openly)).toEqual({});
  });

  it('is shown unchanged if it is not a step at all', () => {
    expect(submittedFields(Buffer.from('<html>'), 'Run', openly)).toEqual({ out: '<html>' });
    expect(submittedFields(Buffer.from('[1]'), 'Run', openly)).toEqual({ out: '[1]' });
  });

  it('shows the seconds of a sleep, in any spelling', () => {
    expect(fieldsOf({ sleepFor: 2.5 })).toEqual({ sleepFor: 2.5 });
    expect(fieldsOf({ sleepFor: '1h30m' })).toEqual({ sleepFor: 5400 });
    expect(fieldsOf({ sleepFor: 'a while' })).toEqual({});
    expect(fieldsOf({ sleepUntil: 1_767_000_000.5 })).toEqual({ sleepUntil: 1_767_000_000.5 });
  });

  it('shows the duration of a wait for a plan, and otherwise how the wait ended', () => {
    const waitEventId = 'paid';
    const planned = { waitEventId, waitTimeoutDuration: '7d' };
    expect(fieldsOf({ waitEventId, timeout: '7d' }, 'Wait')).toEqual(planned);
    expect(fieldsOf({ waitEventId }, 'Wait')).toEqual({ waitEventId, waitTimeout: false });
    const over = { waitEventId, waitTimeout: true };
    expect(fieldsOf(over, 'Wait')).toEqual(over);
  });

  it('shows the answer of a third party, as far as its result contains it', () => {
    const answer = { status: 201, body: 'made', header: { 'X-Secret': ['s'] } };
    const out = JSON.stringify(answer);
    expect(fieldsOf({ out }, 'Call')).toEqual({
      out,
      callResponseStatus: 201,
      callResponseBody: 'made',
      callResponseHeaders: { 'X-Secret': ['s'] },
    });
    expect(fieldsOf({ out }, 'Run')).toEqual({ out });
    for (const strange of ['null', '"text"', '{"status":"201","header":{"a":1}}', '<html>']) {
      expect(fieldsOf({ out: strange }, 'Call')).toEqual({ out: strange });
    }
  });

  it('redacts its result, including the answer of a third party', () => {
    const out = JSON.stringify({ status: 200, body: 'b', header: { 'X-Secret': ['s'] } });
    expect(fieldsOf({ out }, 'Call', hidden)).toEqual({
      out: redacted(out),
      callResponseStatus: 200,
      callResponseBody: redacted('b'),
      callResponseHeaders: { 'X-Secret': [redacted('s')] },
    });
  });
});

it('a payload is shown unchanged', () => {
  expect(payloadFields(Buffer.from('{"out":1}'), openly)).toEqual({ out: '{"out":1}' });
});

it('a call is shown as it is made', () => {
  const headers = ['x-secret', 's'];
  const message = messageOptions({ method: 'PUT', contentType: 'text/plain', headers });
  const published = envelope({ type: 'MessagePublished' as const, ...message });
  const fields = callFields({ event: published.event, body: Buffer.from('b') }, hidden);
  expect(fields).toEqual({
    callUrl: message.url,
    callMethod: 'PUT',
    callHeaders: { 'Content-Type': ['text/plain'], 'X-Secret': [redacted('s')] },
    callBody: redacted('b'),
  });
});
