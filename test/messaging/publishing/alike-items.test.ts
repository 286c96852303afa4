import fc from 'fast-check';
import { ok } from '../../../src/grammar/result.js';
import { dialects, readMessageOptions } from '../../../src/http/dialect.js';
import { AlikeItems } from '../../../src/messaging/publishing/alike-items.js';
import { parseBatchItem } from '../../../src/messaging/publishing/batch.request.js';
import type { PublishRules } from '../../../src/messaging/publishing/option-reader.js';
import { parsePublish } from '../../../src/messaging/publishing/publish.request.js';
import { MessageSubmission } from '../../../src/messaging/publishing/submissions.js';
import { requestContext } from '../../support/request-context.js';

const rules: PublishRules = {
  retries: 3,
  retriesMax: 1000,
  delayMaxMs: 31_536_000_000,
  timeoutMs: 900_000,
  judgeUrl: (text) => ok(text),
};
const bodyBytesMax = 20;
const context = requestContext();

/** The submission of an item that is read alone; undefined = it is refused. */
function readAlone(item: unknown): MessageSubmission | undefined {
  const publish = parseBatchItem(item, context);
  if (!publish.ok || publish.value.body.length > bodyBytesMax) return undefined;
  const { destination, rawHeaders, body } = publish.value;
  const target = { kind: 'url', text: destination, options: [] } as const;
  const parsed = parsePublish(
    publish.value,
    target,
    readMessageOptions(rawHeaders, dialects.svc),
    rules,
  );
  if (!parsed.ok) return undefined;
  return new MessageSubmission('msg', context.at, parsed.message, body);
}

const url = 'https://example.com/a';
const destination = fc.constantFrom(url, 'https://example.com/b');
const headers = fc.oneof(
  fc.constantFrom(
    null,
    {},
    { 'svc-delay': '1h', 'svc-forward-a': '1' },
    { 'svc-forward-a': '1', 'svc-delay': '1h' },
    { 'svc-delay': '2h', 'svc-forward-a': '1' },
    { 'svc-method': 'GET' },
    { 'svc-content-based-deduplication': 'true' },
    { 'svc-deduplication-id': 'one' },
    { 'svc-retries': 'many' },
    JSON.parse('{"__proto__":"a header"}'),
    ['svc-delay', '1h'],
    'svc-delay',
    { 'svc-delay': 1 },
  ),
);
const body = fc.oneof(
  fc.constantFrom('', 'body', 'Grüße', '\ud800', 'x'.repeat(21), null, 1),
  fc.string({ maxLength: 8 }),
);
const queue = fc.constantFrom(undefined, null, 'line', 'other', '', 1);
const item = fc.oneof(
  { weight: 9, arbitrary: fc.record({ destination, headers, body, queue }) },
  fc.constantFrom(null, 'text', [], {}, { destination: 1 }),
);

describe('items of a batch that say the same', () => {
  it('submit the same as each of them would alone', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 30 }), (items) => {
        const alike = new AlikeItems(context, bodyBytesMax);
        for (const each of items) {
          const alone = readAlone(each);
          const shared = alike.submissionOf(each);
          if (!(shared instanceof MessageSubmission)) {
            if (alone !== undefined) alike.add(each, alone);
            continue;
          }
          const [{ id, ...command }] = shared.commands;
          expect(id).toMatch(/^msg_\d+$/);
          expect({ id: 'msg', ...command }).toEqual(alone?.commands[0]);
          expect(Object.keys(command.message)).toEqual(
            Object.keys(alone?.commands[0].message ?? {}),
          );
        }
      }),
    );
  });

  it('share one message if their bodies have the same length', () => {
    const alike = new AlikeItems(context, bodyBytesMax);
    const first = { destination: url, headers: { 'svc-delay': '1h' }, body: 'one' };
    const read = readAlone(first);
    if (read === undefined) throw new Error('it is refused');
    alike.add(first, read);
    const messageOf = (text: string) => {
      const shared = alike.submissionOf({ ...first, body: text });
      return shared instanceof MessageSubmission ? shared.commands[0].message : undefined;
    };
    expect(messageOf('two')).toBe(read.commands[0].message);
    expect(messageOf('three')).toEqual({ ...read.commands[0].message, bodyBytes: 5 });
  });

  it('are read separately if their bodies decide what they repeat', () => {
    const alike = new AlikeItems(context, bodyBytesMax);
    const headers = { 'svc-content-based-deduplication': 'true' };
    const first = { destination: url, headers, body: 'one' };
    const read = readAlone(first);
    if (read === undefined) throw new Error('it is refused');
    alike.add(first, read);
    expect(alike.submissionOf({ ...first, body: 'two' })).toBeUndefined();
  });
});
