/** Parses the URL that locates a shared log over the Kafka protocol (ADR 68). */

/** How a connection authenticates, by the names of the protocol. */
export type SaslMechanism = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';

/** The address of a broker. */
export interface KafkaAddress {
  readonly host: string;
  readonly port: number;
}

/** What a URL names: brokers, topic and login. */
export interface KafkaTarget {
  /** The bootstrap brokers, which say where the topic is; at least one. */
  readonly brokers: readonly KafkaAddress[];
  readonly topic: string;
  readonly tls: boolean;
  readonly sasl: {
    readonly mechanism: SaslMechanism;
    readonly username: string;
    readonly password: string;
  } | null;
}

/** The URL does not locate a log. The message includes no part of the URL that may be secret. */
export class KafkaUrlInvalid extends Error {
  override readonly name = 'KafkaUrlInvalid';

  constructor(reason: string) {
    super(
      `${reason}; write kafka://[user:password@]host:port[,host:port]/topic[?tls=true&sasl=...]`,
    );
  }
}

const parts = new RegExp(
  [
    '^kafka://(?:(?<login>[^@/?#]*)@)?',
    '(?<brokers>[^@/?#]*)',
    '(?:/(?<topic>[^?#]*))?',
    '(?:\\?(?<query>[^#]*))?$',
  ].join(''),
);
const address = /^(?:\[(?<ipv6>[0-9a-fA-F:.]+)\]|(?<name>[^:[\]\s]+)):(?<port>\d{1,5})$/;

/** The names that brokers allow (org.apache.kafka.common.internals.Topic). */
const topicName = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;

const mechanisms: ReadonlyMap<string, SaslMechanism> = new Map([
  ['plain', 'PLAIN'],
  ['scram-sha-256', 'SCRAM-SHA-256'],
  ['scram-sha-512', 'SCRAM-SHA-512'],
]);

/**
 * Reads `kafka://[user:password@]host:port[,host:port]/topic[?tls=true&sasl=scram-sha-512]`. User
 * and password are percent-encoded. Throws `KafkaUrlInvalid`.
 */
export function parseKafkaUrl(url: string): KafkaTarget {
  if (!url.startsWith('kafka://'))
    throw new KafkaUrlInvalid('the URL does not begin with kafka://');
  const found = parts.exec(url)?.groups;
  if (found === undefined) {
    throw new KafkaUrlInvalid('"@", "/", "?" and "#" in a user or a password are percent-encoded');
  }
  const { login, brokers = '', topic = '', query = '' } = found;
  if (!topicName.test(topic)) {
    throw new KafkaUrlInvalid('the path is no name of a topic: 1 to 249 of a-z A-Z 0-9 . _ -');
  }
  const options = optionsOf(query);
  const tls = options.get('tls') ?? 'false';
  if (tls !== 'true' && tls !== 'false') throw new KafkaUrlInvalid('tls is true or false');
  return {
    brokers: brokers.split(',').map((each, index) => addressOf(each, index + 1)),
    topic,
    tls: tls === 'true',
    sasl: saslOf(login, options.get('sasl')),
  };
}

function addressOf(text: string, index: number): KafkaAddress {
  const { ipv6, name, port } = address.exec(text)?.groups ?? {};
  const host = ipv6 ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new KafkaUrlInvalid(`broker ${index} is no host:port`);
  }
  return { host, port: Number(port) };
}

function optionsOf(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (name !== 'tls' && name !== 'sasl') {
      throw new KafkaUrlInvalid('the options are tls and sasl, and no others');
    }
    if (options.has(name)) throw new KafkaUrlInvalid(`${name} is given twice`);
    options.set(name, value);
  }
  return options;
}

function saslOf(login: string | undefined, sasl: string | undefined): KafkaTarget['sasl'] {
  if (login === undefined && sasl === undefined) return null;
  if (login === undefined) throw new KafkaUrlInvalid('sasl is there, but no user:password');
  const mechanism = mechanisms.get(sasl ?? '');
  if (mechanism === undefined) {
    const known = [...mechanisms.keys()].join(', ');
    throw new KafkaUrlInvalid(`a user logs in by sasl, which is one of ${known}`);
  }
  const [username = '', password = '', ...more] = login.split(':').map(decoded);
  if (username === '' || password === '' || more.length > 0) {
    throw new KafkaUrlInvalid('a login is user:password, and a ":" in either is percent-encoded');
  }
  return { mechanism, username, password };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new KafkaUrlInvalid('the user or the password is not percent-encoded');
  }
}
