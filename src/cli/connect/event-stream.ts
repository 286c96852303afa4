/** Server-sent events of the server, resumed after an interruption. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient, Query } from './api-client.js';
import { ApiRefusal, ClientError, isPassing } from './client-errors.js';

/** One event; its data is JSON. */
export interface StreamEvent {
  /** The name of the event; `message` if it has none. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const againMs = 1000;

/**
 * Yields events as they arrive, until the server says that the stream has ended (an `end` event, or
 * 204). A connection that is cut is opened again after the last event, for as long as the server is
 * away. Throws if the server refuses, or was unreachable in the first place.
 */
export async function* eventStream(
  api: ApiClient,
  path: string,
  query: Query,
): AsyncGenerator<StreamEvent> {
  let lastId: string | undefined;
  let hasBegun = false;
  for (;;) {
    const headers = {
      accept: 'text/event-stream',
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    };
    try {
      const answer = await api.send('GET', path, { query, headers });
      if (answer.statusCode === 204) {
        answer.destroy();
        return;
      }
      requireStream(answer, api.address.url);
      hasBegun = true;
      for await (const { id, name, data } of blocksIn(answer)) {
        lastId = id ?? lastId;
        if (name === 'end') return;
        if (data !== null) yield { name, data: JSON.parse(data) as StreamEvent['data'] };
      }
    } catch (error) {
      // A refusal would be repeated; after a cut connection, the server may come back.
      if (!hasBegun || (error instanceof ApiRefusal && !isPassing(error))) throw error;
    }
    await pause(againMs);
  }
}

/** Otherwise the page of some other server would be parsed for events for ever. */
function requireStream(answer: IncomingMessage, url: string): void {
  if (/^text\/event-stream\b/.test(answer.headers['content-type'] ?? '')) return;
  answer.destroy();
  throw new ClientError(`${url} did not answer with a stream`, exitCodes.failure);
}

/** An event; or only a position, from which a stream that has brought no event yet resumes. */
interface Block {
  readonly id: string | undefined;
  readonly name: string;
  /** null if the block has no data, and so is no event. */
  readonly data: string | null;
}

/**
 * Blocks that end with an empty line (WHATWG HTML, "server-sent events"); a block cut short is
 * dropped.
 */
async function* blocksIn(answer: IncomingMessage): AsyncGenerator<Block> {
  let lines: string[] = [];
  let line = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    const [rest = '', ...others] = String(chunk).split('\n');
    line += rest;
    for (const next of others) {
      if (line !== '') lines.push(line);
      else {
        yield blockOf(lines);
        lines = [];
      }
      line = next;
    }
  }
}

function blockOf(lines: readonly string[]): Block {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, field = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    const before = field === 'data' ? fields.get(field) : undefined;
    fields.set(field, before === undefined ? value : `${before}\n${value}`);
  }
  const name = fields.get('event') || 'message';
  return { id: fields.get('id'), name, data: fields.get('data') ?? null };
}
