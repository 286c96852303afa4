/**
 * Who or what caused an event (ADR 39).
 *
 * For readers: `envelope.by` has it; null = the event is of a version that did not record it.
 * Events of a request are found by the index term `principalTerm(name)`; hits have to be checked.
 */
import type { RequestSeed } from './request-seed.js';

/** The header of a record that names what caused its event. */
interface PrincipalHeader {
  readonly name: string;
  readonly value: Buffer | null;
}

/** A request of a client, or the server's own work. */
export type Principal = Caller | ServerWork;

/** What begins the index term of every event that a request with a credential caused. */
const termPrefix = 'by:';

/** The index term of the events that requests with the credential `name` caused. */
export function principalTerm(name: string): string {
  return termPrefix + name;
}

const callerHeader = 'by';
const causeHeader = 'cause';

/** A request, as far as it tells who made it. */
export class Caller {
  readonly type = 'caller';
  private kept: PrincipalHeader | null = null;

  /**
   * `name` is that of the credential, as `token:deploy`; null where the request needed none.
   * `address` is where it came from. Neither `address` nor `requestId` holds a blank. `seed` is
   * that of a request which may come again.
   */
  constructor(
    readonly name: string | null,
    readonly address: string,
    readonly requestId: string,
    readonly seed: RequestSeed | null = null,
  ) {}

  /** How a record keeps it; made once for all events of a request. */
  get header(): PrincipalHeader {
    this.kept ??= { name: callerHeader, value: Buffer.from(this.text) };
    return this.kept;
  }

  /** The name stands last: a username of the configuration may hold blanks. */
  private get text(): string {
    return `${this.address} ${this.requestId} ${this.name ?? ''}`;
  }
}

/** What the server did by itself: a timer, a delivery, a reaction. */
class ServerWork {
  readonly type = 'server';

  /** The stream it was done for; null = the one of the event. */
  constructor(readonly stream: string | null) {}

  /** How a record keeps it; null = it needs no header. */
  get header(): PrincipalHeader | null {
    return this.stream === null ? null : { name: causeHeader, value: Buffer.from(this.stream) };
  }
}

/** The server's own work for the stream of the event. */
export const ownWork = new ServerWork(null);

/** What the server does for the sake of one stream, as `schedule/daily`. */
export function workFor(kind: string, id: string): ServerWork {
  return new ServerWork(`${kind}/${id}`);
}

/** Who caused the event of a record that says it was recorded. */
export function principalIn(headers: readonly PrincipalHeader[]): Principal {
  for (const { name, value } of headers) {
    const text = value?.toString() ?? '';
    if (name === causeHeader) return new ServerWork(text);
    if (name === callerHeader) return callerOf(text);
  }
  return ownWork;
}

function callerOf(text: string): Caller {
  const first = text.indexOf(' ');
  const second = text.indexOf(' ', first + 1);
  const name = text.slice(second + 1);
  return new Caller(name === '' ? null : name, text.slice(0, first), text.slice(first + 1, second));
}

/** The seed of the request that causes something; null where it cannot come again. */
export function seedOf(by: Principal | null): RequestSeed | null {
  return by?.type === 'caller' ? by.seed : null;
}
