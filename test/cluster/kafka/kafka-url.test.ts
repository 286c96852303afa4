import fc from 'fast-check';
import { KafkaUrlInvalid, parseKafkaUrl } from '../../../src/cluster/kafka/kafka-url.js';

const reasonOf = (url: string): string => {
  try {
    parseKafkaUrl(url);
  } catch (error) {
    if (error instanceof KafkaUrlInvalid) return error.message;
    throw error;
  }
  throw new Error('it was read');
};

describe('a URL of a log over the Kafka protocol', () => {
  it('names brokers and a topic', () => {
    expect(parseKafkaUrl('kafka://one:9092/stepwell.log')).toEqual({
      brokers: [{ host: 'one', port: 9092 }],
      topic: 'stepwell.log',
      tls: false,
      sasl: null,
    });
    expect(parseKafkaUrl('kafka://one:1,10.0.0.2:2,[fe80::3]:3/t').brokers).toEqual([
      { host: 'one', port: 1 },
      { host: '10.0.0.2', port: 2 },
      { host: 'fe80::3', port: 3 },
    ]);
  });

  it('defines how to log in', () => {
    const url = 'kafka://us%40er:p%3Aass%2F@one:9093/t?tls=true&sasl=scram-sha-256';
    expect(parseKafkaUrl(url)).toMatchObject({
      tls: true,
      sasl: { mechanism: 'SCRAM-SHA-256', username: 'us@er', password: 'p:ass/' },
    });
  });

  it.each([
    ['http://one:1/t', 'does not begin with kafka://'],
    ['kafka://one:1', 'the path is no name of a topic'],
    ['kafka://one:1/', 'the path is no name of a topic'],
    ['kafka://one:1/..', 'the path is no name of a topic'],
    ['kafka://one:1/a/b', 'the path is no name of a topic'],
    [`kafka://one:1/${'t'.repeat(250)}`, 'the path is no name of a topic'],
    ['kafka:///t', 'broker 1 is no host:port'],
    ['kafka://one/t', 'broker 1 is no host:port'],
    ['kafka://one:1,two/t', 'broker 2 is no host:port'],
    ['kafka://one:0/t', 'broker 1 is no host:port'],
    ['kafka://one:65536/t', 'broker 1 is no host:port'],
    ['kafka://one:1/t?tls=yes', 'tls is true or false'],
    ['kafka://one:1/t?tls=true&tls=true', 'tls is given twice'],
    ['kafka://one:1/t?acks=1', 'the options are tls and sasl'],
    ['kafka://one:1/t?sasl=plain', 'no user:password'],
    ['kafka://user:secret@one:1/t', 'plain, scram-sha-256, scram-sha-512'],
    ['kafka://user:secret@one:1/t?sasl=gssapi', 'plain, scram-sha-256, scram-sha-512'],
    ['kafka://user@one:1/t?sasl=plain', 'a login is user:password'],
    ['kafka://user:se:cret@one:1/t?sasl=plain', 'a login is user:password'],
    ['kafka://user:se%cret@one:1/t?sasl=plain', 'not percent-encoded'],
    ['kafka://user:se@cret@one:1/t?sasl=plain', 'are percent-encoded'],
  ])('is refused: %s', (url, reason) => {
    expect(reasonOf(url)).toContain(reason);
    expect(reasonOf(url)).toContain('kafka://[user:password@]host:port');
  });

  it('never shows a password, however it was written', () => {
    const mark = 'TopSecret';
    const before = fc.string({ maxLength: 6 });
    const rest = fc.constantFrom('@one:1/t', '@one/t?sasl=plain', '/t', '@one:1/t?x=1', '');
    fc.assert(
      fc.property(before, before, rest, (user, around, end) => {
        try {
          parseKafkaUrl(`kafka://${user}:${around}${mark}${around}${end}`);
        } catch (error) {
          expect(String(error)).not.toContain(mark);
        }
      }),
    );
  });
});
