/** Server-sent events of the server, which go on where they were cut. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient, Query } from './api-client.js';
import { ApiRefusal, ClientError, isPassing } from './client-errors.js';

/** One event; its data is JSON. */
export interface StreamEvent {
  /** Its name; `message` where it has none. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const againMs = 1000;

/**
 * Events as they come, until the server says that the stream is at its end (the event `end`, or no
 * content). A connection that is cut is made again behind the last event, for as long as the server
 * is away; what it refuses, and a server that was not there in the first place, is thrown.
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
      // What the server refuses, it will refuse again; a cut connection may come back.
      if (!hasBegun || (error instanceof ApiRefusal && !isPassing(error))) throw error;
    }
    await pause(againMs);
  }
}

/** A page of another server would be read for events for ever. */
function requireStream(answer: IncomingMessage, url: string): void {
  if (/^text\/event-stream\b/.test(answer.headers['content-type'] ?? '')) return;
  answer.destroy();
  throw new ClientError(`${url} answered something else than a stream`, exitCodes.failure);
}

/** An event; or a place alone, which is where a stream goes on that has brought nothing yet. */
interface Block {
  readonly id: string | undefined;
  readonly name: string;
  /** null = it has none, and is no event. */
  readonly data: string | null;
}

/** What ends with an empty line (WHATWG HTML, "server-sent events"): what was cut in it is none. */
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
