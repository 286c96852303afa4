import { SeededNames } from '../../../src/engine/identifiers.js';
import {
  batchContent,
  recordContent,
  recordMessages,
} from '../../../src/topics/pushes/record-messages.js';
import type { LogRecord } from '../../../storage/format/record.js';
import { subscriptionDefinition } from '../../support/subscription-definition.js';

const place = { topic: 'rides', partition: 2 };
const at = 1_767_000_000_000;
const url = 'https://example.com/hook';
const to = { ok: true as const, endpoints: [{ url, name: null }], headers: [] };
const record = (changes: Partial<LogRecord> = {}): LogRecord => ({
  offset: 7,
  timestamp: at,
  key: null,
  value: Buffer.from([0, 255, 10]),
  headers: [],
  terms: [],
  ...changes,
});
const header = (name: string, value: string | Buffer | null) => {
  return { name, value: typeof value === 'string' ? Buffer.from(value) : value };
};
const messageOf = (
  changes: Partial<LogRecord>,
  forwarded: readonly string[] = [],
  ofGroup: readonly string[] = [],
) => {
  const definition = subscriptionDefinition({}, { headers: forwarded });
  const content = recordContent(record(changes), place, definition);
  const targets = { ...to, headers: ofGroup };
  const [command] = recordMessages(content, definition, targets, at, new SeededNames(() => ''));
  if (command === undefined) throw new Error('no message came of it');
  const { headers } = command.message;
  const named = new Map<string, string>();
  for (let index = 0; index < headers.length; index += 2) {
    named.set((headers[index] ?? '').toLowerCase(), headers[index + 1] ?? '');
  }
  return { ...command, named };
};

describe('a record as a message', () => {
  it('has the bytes of its value and names its place', () => {
    const { body, message, named } = messageOf({});
    expect(body).toEqual(Buffer.from([0, 255, 10]));
    expect(message).toMatchObject({ url, bodyBytes: 3, notBefore: at, contentType: null });
    expect(Object.fromEntries(named)).toEqual({
      'content-type': 'application/octet-stream',
      'stream-topic': 'rides',
      'stream-partition': '2',
      'stream-offset': '7',
      'stream-timestamp': `${at}`,
    });
  });

  it('retains no memory of what was read with it', () => {
    const read = Buffer.alloc(64 * 1024, 'x');
    const { body } = messageOf({ value: read.subarray(0, 10_000) });
    expect(body).toHaveLength(10_000);
    expect(body.buffer).not.toBe(read.buffer);
  });

  it.each([
    ['order:42/a', 'order:42/a'],
    ['', ''],
    ['100%', '100%25'],
    ['a b\r\n', 'a%20b%0D%0A'],
    ['ключ', '%D0%BA%D0%BB%D1%8E%D1%87'],
    [Buffer.from([0, 255]), '%00%FF'],
  ])('names its key %j as %s', (key, name) => {
    const bytes = Buffer.from(key);
    const { named } = messageOf({ key: bytes });
    expect(named.get('stream-key')).toBe(name);
    if (typeof key === 'string') expect(decodeURIComponent(name)).toBe(key);
  });

  it('forwards its headers as bytes, empty ones and repeated ones too', () => {
    const headers = [
      header('Trace', 'é'),
      header('empty', null),
      header('x', '1'),
      header('x', '2'),
    ];
    const { message, named } = messageOf({ headers });
    expect(named.get('trace')).toBe(Buffer.from('é').toString('latin1'));
    expect(named.get('empty')).toBe('');
    const values = message.headers.filter((_, index) => message.headers[index - 1] === 'x');
    expect(values).toEqual(['1', '2']);
  });

  it.each(['not a name', 'Svc-Signature', 'upstash-Retried', 'Kafka-Topic', 'Stream-Any'])(
    'does not forward a header %j',
    (name) => {
      const { message } = messageOf({ headers: [header(name, 'forged')] });
      expect(message.headers).not.toContain('forged');
    },
  );

  it('does not forward a value that no header can carry', () => {
    expect(messageOf({ headers: [header('a', 'line\nbreak')] }).named.has('a')).toBe(false);
  });

  it('has the headers of the subscription, which override its own', () => {
    const headers = [header('authorization', 'record'), header('Content-Type', 'text/plain')];
    const alone = messageOf({ headers }).named;
    expect([alone.get('authorization'), alone.get('content-type')]).toEqual([
      'record',
      'text/plain',
    ]);
    const { named } = messageOf(
      { headers },
      ['Content-Type', 'text/csv', 'Stream-Topic', 'forged'],
      ['Authorization', 'group'],
    );
    expect(named.get('content-type')).toBe('text/csv');
    expect(named.get('authorization')).toBe('group');
    expect(named.get('stream-topic')).toBe('rides');
  });

  it('is empty and marked if it is a tombstone', () => {
    const { body, named } = messageOf({ value: null });
    expect(body).toHaveLength(0);
    expect(named.get('stream-tombstone')).toBe('true');
    expect(messageOf({ value: Buffer.alloc(0) }).named.has('stream-tombstone')).toBe(false);
  });
});

describe('records as one message', () => {
  const definition = subscriptionDefinition({ maxRecords: 10 });
  const records = [record(), record({ offset: 8 }), record({ offset: 9 })] as const;

  it('are as many as fit, and at least one', () => {
    const { body } = batchContent([records[0]], place, definition, 1000);
    const { length } = body;
    const held = (bytesMax: number) => batchContent(records, place, definition, bytesMax).records;
    expect(held(1)).toBe(1);
    expect(held(2 * length - 2)).toBe(1);
    expect(held(2 * length - 1)).toBe(2);
    expect(held(1_000_000)).toBe(3);
  });

  it('have no headers of their own', () => {
    const own = [record({ headers: [header('a', 'b')] })] as const;
    const { headers, contentType } = batchContent(own, place, definition, 1000);
    expect([headers, contentType]).toEqual([[], 'application/json']);
  });
});

describe('the messages of a push', () => {
  it('go one to each endpoint, and the first one stores the body for all', () => {
    const definition = subscriptionDefinition({ url: null, groupName: 'group' });
    const content = recordContent(record(), place, definition);
    const endpoints = ['one', 'two', 'three'].map((name) => ({
      name,
      url: `https://${name}.example.com/`,
    }));
    const names = new SeededNames(() => '0');
    const commands = recordMessages(content, definition, { ...to, endpoints }, at, names);
    expect(commands).toMatchObject([
      { id: 'msg_01', sharesBodyWith: null, message: { endpointName: 'one', topicName: 'group' } },
      { id: 'msg_02', sharesBodyWith: 'msg_01', message: { endpointName: 'two' } },
      { id: 'msg_03', sharesBodyWith: 'msg_01', message: { endpointName: 'three' } },
    ]);
  });

  it('wait for the delay of the subscription', () => {
    const definition = subscriptionDefinition({}, { delayMs: 500 });
    const content = recordContent(record(), place, definition);
    const [command] = recordMessages(content, definition, to, at, new SeededNames(() => ''));
    expect(command?.message.notBefore).toBe(at + 500);
    expect(command?.message).not.toHaveProperty('delayMs');
  });
});
