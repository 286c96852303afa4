/**
 * Who or what caused an event (ADR 39).
 *
 * Readers find it in `envelope.by`; null = a version wrote the event that did not record this. The
 * index term `principalTerm(name)` finds the events of requests; hits have to be checked.
 */
import type { RequestSeed } from './request-seed.js';

/** The header of a record that names the cause of its event. */
interface PrincipalHeader {
  readonly name: string;
  readonly value: Buffer | null;
}

/** A request of a client, or the server's own work. */
export type Principal = Caller | ServerWork;

/** The prefix of the index term of every event caused by a request with a credential. */
const termPrefix = 'by:';

/** The index term of the events caused by requests with the credential `name`. */
export function principalTerm(name: string): string {
  return termPrefix + name;
}

const callerHeader = 'by';
const causeHeader = 'cause';

/** A request, as far as it identifies who made it. */
export class Caller {
  readonly type = 'caller';
  /**
   * `name` is that of the credential, like `token:deploy`; null if the request needed none.
   * `address` is where the request came from. Neither `address` nor `requestId` contains a blank.
   * `seed` is that of a request that may come again.
   */
  constructor(
    readonly name: string | null,
    readonly address: string,
    readonly requestId: string,
    readonly seed: RequestSeed | null = null,
  ) {}

  /** The header stored in records. */
  get header(): PrincipalHeader {
    return { name: callerHeader, value: Buffer.from(this.text) };
  }

  /** The name comes last: a username from the configuration may contain blanks. */
  private get text(): string {
    return `${this.address} ${this.requestId} ${this.name ?? ''}`;
  }
}

/** Something the server did by itself: a timer, a delivery, a reaction. */
class ServerWork {
  readonly type = 'server';

  /** The stream on whose behalf it was done; null = the stream of the event. */
  constructor(readonly stream: string | null) {}

  /** The header stored in records; null = none is needed. */
  get header(): PrincipalHeader | null {
    return this.stream === null ? null : { name: causeHeader, value: Buffer.from(this.stream) };
  }
}

/** The server's own work for the stream of the event. */
export const ownWork = new ServerWork(null);

/** Work of the server on behalf of another stream, like `schedule/daily`. */
export function workFor(kind: string, id: string): ServerWork {
  return new ServerWork(`${kind}/${id}`);
}

/**
 * The headers of principals. One is made for all events of a request, and not kept by its `Caller`:
 * cached events have callers, and a short buffer holds 8 KiB, the pool that it was cut from.
 */
export class PrincipalHeaders {
  private latest: Principal | null = null;
  private header: PrincipalHeader | null = null;

  /** The header stored in records; null = none is needed. */
  of(principal: Principal | null): PrincipalHeader | null {
    if (principal !== this.latest) {
      this.latest = principal;
      this.header = principal === null ? null : principal.header;
    }
    return this.header;
  }
}

/** The principal in the headers of a record that is marked as attributed. */
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

/** The seed of the request that causes something; null if the request cannot come again. */
export function seedOf(by: Principal | null): RequestSeed | null {
  return by?.type === 'caller' ? by.seed : null;
}
